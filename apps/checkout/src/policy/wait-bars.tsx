import type { PolicyDescription } from '@query-retry/react'
import { scaleLinear } from 'd3-scale'
import { usePolicyWords } from './use-policy-words.ts'
import './wait-bars.css'

/** From where to where each wait is drawn, as bars on one scale with their words. */
export function WaitBars({
  waits,
  longestMs,
}: Pick<PolicyDescription, 'waits'> & { longestMs: number }) {
  const words = usePolicyWords()
  const scale = scaleLinear([0, longestMs], [0, 100]).nice(4)
  const at = (ms: number) => `${scale(ms)}%`

  return (
    <div className="wait-bars">
      <h3>{words.waits.title}</h3>
      {waits.length === 0 ? (
        <p>{words.waits.none}</p>
      ) : (
        <>
          <p>{words.waits.hint}</p>
          <ol>
            {waits.map(({ retry, lastRetry, lowMs, highMs, meanMs }) => (
              <li key={retry} data-retry={retry}>
                <span className="wait-bars__retry">{words.waits.retry(retry, lastRetry)}</span>
                <svg className="wait-bars__bar" aria-hidden="true" focusable="false">
                  {scale.ticks(4).map(ms => (
                    <line key={ms} className="wait-bars__grid" x1={at(ms)} x2={at(ms)} y2="100%" />
                  ))}
                  <rect
                    x={at(lowMs)}
                    width={at(highMs - lowMs)}
                    y="20%"
                    height="60%"
                    rx="2"
                    data-drawn={highMs > lowMs}
                  />
                  <line
                    className="wait-bars__mean"
                    x1={at(meanMs)}
                    x2={at(meanMs)}
                    y1="5%"
                    y2="95%"
                  />
                </svg>
                <span className="wait-bars__words">
                  <strong>
                    {lowMs === highMs
                      ? words.waits.always(words.duration(lowMs))
                      : words.waits.range(words.duration(lowMs), words.duration(highMs))}
                  </strong>{' '}
                  {lowMs < highMs && <span>{words.waits.average(words.estimate(meanMs))}</span>}
                </span>
              </li>
            ))}
          </ol>
          <p className="wait-bars__axis" aria-hidden="true">
            {scale.ticks(4).map(ms => (
              <span key={ms} style={{ insetInlineStart: at(ms) }}>
                {words.duration(ms)}
              </span>
            ))}
          </p>
        </>
      )}
    </div>
  )
}
