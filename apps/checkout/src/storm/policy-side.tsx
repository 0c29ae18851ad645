import type { HerdResult } from '@query-retry/lab'
import { useId } from 'react'
import { HerdPlot, type PlotScale } from './herd-plot.tsx'
import './policy-side.css'
import { curveInWords, figuresInWords } from './storm-in-words.ts'
import { POLICY_NAMES, type StormSettings } from './storm-settings.ts'
import { useStormWords } from './use-storm-words.ts'

/** One of the two policies: its choice, its curve and its figures. */
export function PolicySide({
  side,
  chosen,
  shown,
  result,
  scale,
  onChoose,
}: {
  side: 0 | 1
  chosen: string
  /** The settings that `result` is of, which may lag behind. */
  shown: StormSettings
  result: HerdResult | undefined
  scale: PlotScale
  onChoose(name: string): void
}) {
  const words = useStormWords()
  const id = useId()
  return (
    <article className="policy-side" data-side={side} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>
        <label htmlFor={id}>{words.sides[side]}</label>
      </h3>
      <select id={id} value={chosen} onChange={event => onChoose(event.target.value)}>
        {POLICY_NAMES.map(name => (
          <option key={name} value={name}>
            {words.policy(name).name}
          </option>
        ))}
      </select>
      <p className="policy-side__hint">{words.policy(chosen).hint}</p>
      <HerdPlot
        policy={words.policy(shown.policies[side]).name}
        result={result}
        settings={shown}
        scale={scale}
        description={result ? curveInWords(result, shown, words) : ''}
      />
      <dl className="policy-side__figures">
        {figuresInWords(result, shown, words).map(({ name, value, details }) => (
          <div key={name} data-figure={name}>
            <dt>{words.figures[name]}</dt>
            <dd>
              <strong>{value}</strong>
              {details.map(detail => (
                <span key={detail}>{detail}</span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </article>
  )
}
