import { type CSSProperties, useSyncExternalStore } from 'react'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import { CROWD_SIZE, SIDES, type Side } from './crowd.ts'
import './scope-panel.css'
import { SCOPES, type ScopeName } from './scopes.ts'
import { useCrowdCalls } from './use-crowd-calls.ts'
import { useNow } from './use-now.ts'

const REDRAW_EVERY_MS = 250

/** The budget and the breaker of each scope while a crowd is there, and what reached the server of it. */
export function ScopePanel() {
  const { crowd } = useShop()
  const sent = useSyncExternalStore(crowd.subscribe, crowd.getSnapshot)
  const visit = useSyncExternalStore(crowd.subscribe, crowd.visit)
  const received = useCrowdCalls(visit)
  const { messages } = useLanguage()
  const words = messages.scopes
  useNow(visit !== '', REDRAW_EVERY_MS)
  if (!visit) return null

  const most = Math.max(1, ...SIDES.map(side => received?.[side] ?? sent[side]))
  return (
    <section className="scopes" aria-labelledby="scopes">
      <h4 id="scopes">{words.title}</h4>
      <p className="scopes__intro">{words.intro(CROWD_SIZE)}</p>
      <ul>
        {SCOPES.map(name => (
          <li key={name} className="scope" data-scope={name}>
            <h5>{words.names[name]}</h5>
            {name !== 'page' && (
              <Count sent={sent[name]} received={received?.[name]} most={most} side={name} />
            )}
            <Budget name={name} />
            <Breaker name={name} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Count(props: { sent: number; received: number | undefined; most: number; side: Side }) {
  const { sent, received, most, side } = props
  const words = useLanguage().messages.scopes
  const count = received ?? sent
  return (
    <p className="scope__count" data-side={side}>
      <span className="scope__bar" style={{ '--share': count / most } as CSSProperties} />
      <strong>{count}</strong> {received === undefined ? words.sent : words.received}
    </p>
  )
}

function Budget({ name }: { name: ScopeName }) {
  const { budget } = useShop().gauges.read(name)
  const words = useLanguage().messages.scopes
  if (!budget) return <p className="scope__none">{words.noBudget}</p>
  const { capacity } = budget.options
  const left = Math.floor(budget.available)
  return (
    <div className="scope__budget">
      <span>{words.budget}</span>
      <span
        className="gauge"
        data-level={left * 2 < capacity ? 'low' : 'full'}
        style={{ '--share': left / capacity } as CSSProperties}
      >
        <meter
          className="visually-hidden"
          aria-label={words.budgetOf(words.names[name])}
          aria-valuetext={words.left(left, capacity)}
          max={capacity}
          value={left}
        >
          {words.left(left, capacity)}
        </meter>
      </span>
      <span className="scope__figure" aria-hidden="true">
        {words.left(left, capacity)}
      </span>
    </div>
  )
}

function Breaker({ name }: { name: ScopeName }) {
  const { breaker } = useShop().gauges.read(name)
  const words = useLanguage().messages.scopes
  if (!breaker) return <p className="scope__none">{words.noBreaker}</p>
  const { nextProbeAtMs = 0, state } = breaker
  const seconds = Math.ceil((nextProbeAtMs - performance.now()) / 1_000)
  return (
    <p className="scope__breaker" data-state={state}>
      <svg viewBox="0 0 40 16" aria-hidden="true">
        <path d="M0 8h11M29 8h11" />
        <circle cx="12" cy="8" r="2" />
        <circle cx="28" cy="8" r="2" />
        <path className="scope__lever" d="M12 8h16" />
      </svg>
      <span>{words.breaker[state]}</span>
      {/* Announced when it opens and when it has closed: not each probe in between, and not the seconds. */}
      <span className="visually-hidden" role="status">
        {words.breaker[state === 'closed' ? state : 'open']}
      </span>
      {state === 'open' && seconds > 0 && (
        <span className="scope__figure">{words.probeIn(seconds)}</span>
      )}
    </p>
  )
}
