import type { Mark, Track } from './attempt-log.ts'

/** A stretch of a track, in milliseconds from its start. */
export interface Bar {
  kind: 'flight' | 'wait' | 'pause'
  fromMs: number
  toMs: number
  /** How far it has come: `toMs` of a wait lies ahead. */
  doneMs: number
}

/** A moment of a track, in milliseconds from its start. */
export interface Point {
  kind: 'sent' | 'failed' | 'answered' | 'recovered' | 'gave-up' | 'cancelled'
  atMs: number
  reason?: string
}

/** Lengths of the time axis. It jumps from one to the next, so that marks rest while one reads. */
const SPANS_MS = [4_000, 8_000, 16_000, 32_000, 64_000, 128_000]

/** Where everything of a track stands at an instant. */
export function layOutTrack(track: Track, nowEpochMs: number) {
  const bars: Bar[] = []
  const points: Point[] = []
  const since = (epochMs: number) => Math.max(0, epochMs - track.startedAtEpochMs)
  const nowMs = since(nowEpochMs)

  track.marks.forEach((mark, position) => {
    const next = track.marks[position + 1]
    const atMs = since(mark.atEpochMs)
    const endMs = next ? since(next.atEpochMs) : Math.max(nowMs, atMs)
    const kind = barOf(mark)
    if (kind) {
      // A wait reaches to the instant it is planned for, unless something cut it short.
      const toMs = mark.kind === 'waiting' && !next ? since(mark.untilEpochMs) : endMs
      bars.push({ kind, fromMs: atMs, toMs, doneMs: Math.min(endMs, toMs) })
    }
    if (mark.kind === 'failed') points.push({ kind: mark.kind, atMs, reason: mark.reason })
    else if (isPoint(mark.kind)) points.push({ kind: mark.kind, atMs })
  })

  const lastMs = Math.max(
    ...bars.map(bar => Math.max(bar.toMs, bar.doneMs)),
    ...points.map(point => point.atMs),
    0,
  )
  const spanMs = SPANS_MS.find(span => span >= lastMs * 1.06) ?? lastMs * 1.06
  return { bars, points, spanMs }
}

function barOf({ kind }: Mark): Bar['kind'] | undefined {
  if (kind === 'sent') return 'flight'
  if (kind === 'waiting') return 'wait'
  return kind === 'paused' ? 'pause' : undefined
}

function isPoint(kind: Mark['kind']): kind is Exclude<Point['kind'], 'failed'> {
  return ['sent', 'answered', 'recovered', 'gave-up', 'cancelled'].includes(kind)
}
