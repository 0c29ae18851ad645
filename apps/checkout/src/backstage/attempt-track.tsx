import { useLanguage } from '../language/language.tsx'
import { operationOfKey } from '../queries.ts'
import { countSent, isRunning, type Track } from './attempt-log.ts'
import './attempt-track.css'
import { layOutTrack } from './track-layout.ts'
import { inSeconds, reasonInWords, stateOf, trackInWords } from './track-words.ts'
import { useNow } from './use-now.ts'
import type { ServerCalls } from './use-server-calls.ts'

/** An arrival may be stamped a little before our own start, on a coarse clock. */
const CLOCK_SLACK_MS = 50
/** Labels nearer to each other than this share of the axis would overlap. */
const LABEL_RATIO = 0.12

const prefersStillness = matchMedia('(prefers-reduced-motion: reduce)')

/** One query on a time axis: what the browser did above, what the server saw below, and both as text. */
export function AttemptTrack({ track, calls }: { track: Track; calls: ServerCalls }) {
  const words = useLanguage().messages.timeline
  const now = useNow(isRunning(track), prefersStillness.matches ? 1_000 : 100)
  const { bars, points, spanMs } = layOutTrack(track, now)
  const operation = operationOfKey(track.queryKey)
  const arrivals = calls?.[operation]?.filter(
    ({ atEpochMs }) => atEpochMs >= track.startedAtEpochMs - CLOCK_SLACK_MS,
  )
  const at = (ms: number) => `${(Math.max(0, ms) / spanMs) * 100}%`
  const state = stateOf(track)
  const failures = points.filter(point => point.kind === 'failed')
  const name = String(track.queryKey[0]) as keyof typeof words.names
  const sent = countSent(track)

  return (
    <li className="track" data-query={operation} data-state={state}>
      <div className="track__head">
        <h4>{words.names[name]}</h4>
        <code>{operation}</code>
        <span className="track__state">{words.now[state]}</span>
      </div>
      <div className="track__chart" aria-hidden="true">
        <span className="track__lane">{words.browser}</span>
        <div className="track__line">
          {bars.map(bar => (
            <span
              key={`${bar.kind}${bar.fromMs}`}
              className={`bar bar--${bar.kind}`}
              style={{ left: at(bar.fromMs), width: at(bar.toMs - bar.fromMs) }}
            >
              <span
                style={{ width: `${share(bar.doneMs - bar.fromMs, bar.toMs - bar.fromMs)}%` }}
              />
            </span>
          ))}
          {failures.map((point, position) => {
            const next = failures[position + 1]
            const hasRoom = !next || (next.atMs - point.atMs) / spanMs > LABEL_RATIO
            return hasRoom ? (
              <span key={point.atMs} className="track__reason" style={{ left: at(point.atMs) }}>
                {reasonInWords(point.reason ?? '', words)}
              </span>
            ) : null
          })}
          {points.map((point, position) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: marks are only ever added at the end
              key={position}
              className={`point point--${point.kind}`}
              style={{ left: at(point.atMs) }}
            />
          ))}
        </div>
        <span className="track__lane">{words.server}</span>
        <div className="track__line track__line--server">
          {arrivals?.map(({ atEpochMs, answer }) => (
            <span
              key={atEpochMs}
              className={`arrival arrival--${isGood(answer) ? 'good' : 'bad'}`}
              style={{ left: at(atEpochMs - track.startedAtEpochMs) }}
            />
          ))}
        </div>
        <span />
        <div className="track__axis">
          {[0, 0.25, 0.5, 0.75].map(ratio => (
            <span key={ratio} style={{ left: `${ratio * 100}%` }}>
              {words.seconds(String((spanMs * ratio) / 1_000))}
            </span>
          ))}
        </div>
      </div>
      <p className="track__proof" data-sent={sent} data-received={arrivals?.length}>
        {calls ? words.proof(sent, arrivals?.length ?? 0) : words.proofUnknown(sent)}
      </p>
      <details>
        <summary>
          {words.asText}
          <span className="visually-hidden"> ({words.names[name]})</span>
        </summary>
        <ol>
          {trackInWords(track, arrivals ?? [], words).map((line, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
            <li key={position} data-server={line.isServer}>
              <span>{words.seconds(inSeconds(line.atMs))}</span> {line.text}
            </li>
          ))}
        </ol>
      </details>
    </li>
  )
}

function share(part: number, whole: number): number {
  return whole > 0 ? Math.min(100, (part / whole) * 100) : 100
}

function isGood(answer: unknown): boolean {
  return answer === null || (typeof answer === 'number' && answer < 400)
}
