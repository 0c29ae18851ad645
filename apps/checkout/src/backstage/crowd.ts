import type { CataloguePage } from '@query-retry/checkout-api'
import { type QueryClient, QueryObserver } from '@tanstack/react-query'
import type { Api } from '../api.ts'
import { isOfCrowd, type ScopeGauges } from './scopes.ts'
import type { WeatherState } from './weather.ts'

export const SIDES = ['bounded', 'unbounded'] as const
export type Side = (typeof SIDES)[number]

/** Widgets of one side. */
export const CROWD_SIZE = 12
const POLL_EVERY_MS = 1_000
/** One after the other, as widgets load. */
const ARRIVES_AFTER_MS = 80

interface Weather {
  getSnapshot(): Pick<WeatherState, 'name'>
  subscribe(listener: () => void): () => void
}

/**
 * What a busy page does while its server is down: twelve widgets that ask once a second, twice over. Both
 * crowds have the same preset; one has a retry budget and a circuit breaker, the other has neither.
 *
 * They are there in a long outage, and until the circuit has closed after it.
 */
export function createCrowd(client: QueryClient, api: Api, gauges: ScopeGauges, weather: Weather) {
  const listeners = new Set<() => void>()
  let sent: Record<Side, number> = { bounded: 0, unbounded: 0 }
  let stops: (() => void)[] = []
  let visit = ''

  const tell = () => {
    for (const listener of listeners) listener()
  }

  function join(side: Side, place: number): () => void {
    const observer = new QueryObserver(client, {
      queryKey: ['crowd', side, place],
      queryFn({ signal }) {
        const onSend = () => {
          sent = { ...sent, [side]: sent[side] + 1 }
          tell()
        }
        return api.get<CataloguePage>(`/catalogue?page=1&crowd=${side}-${visit}`, {
          signal,
          onSend,
        })
      },
      refetchInterval: POLL_EVERY_MS,
      staleTime: 0,
      gcTime: 0,
    })
    return observer.subscribe(() => {})
  }

  function come() {
    visit = Date.now().toString(36)
    sent = { bounded: 0, unbounded: 0 }
    for (let place = 0; place < CROWD_SIZE; place++) {
      const timer = setTimeout(() => {
        for (const side of SIDES) stops.push(join(side, place))
      }, place * ARRIVES_AFTER_MS)
      stops.push(() => clearTimeout(timer))
    }
    tell()
  }

  function leave() {
    visit = ''
    for (const stop of stops) stop()
    stops = []
    tell()
  }

  function look() {
    const { name } = weather.getSnapshot()
    const state = gauges.read('bounded').breaker?.state ?? 'closed'
    const isRecovering = name === 'calm' && state !== 'closed'
    if (name === 'long-outage' && !visit) come()
    if (name !== 'long-outage' && !isRecovering && visit) leave()
  }

  weather.subscribe(look)
  // The circuit closes with an answer, which is an event of the cache.
  client.getQueryCache().subscribe(({ type, query }) => {
    if (visit && type === 'updated' && isOfCrowd(query.queryKey)) look()
  })

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    /** Requests that left for each side since the crowd came. */
    getSnapshot: () => sent,
    /** Part of what it asks, for the server's log; empty while it is not there. */
    visit: () => visit,
    leave,
  }
}
