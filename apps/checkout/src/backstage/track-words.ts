import type { Messages } from '../language/messages.en.ts'
import type { Mark, Track } from './attempt-log.ts'
import type { Arrival } from './use-server-calls.ts'

type Words = Messages['timeline']

/** A failure's slug in words: a status as its number, the rest as a person would say it. */
export function reasonInWords(reason: string, words: Words): string {
  return words.reasons[reason] ?? reason.replace(/^http-/, '')
}

/** Seconds with one digit, as the axis has them. */
export function inSeconds(ms: number): string {
  return (ms / 1_000).toFixed(1)
}

export interface Line {
  atMs: number
  text: string
  isServer: boolean
}

/** A track and what the server saw of it as lines of text, in the order in which they happened. */
export function trackInWords(track: Track, arrivals: readonly Arrival[], words: Words): Line[] {
  let attempt = 0
  const lines = track.marks.map(mark => {
    if (mark.kind === 'sent') attempt += 1
    return {
      atMs: mark.atEpochMs - track.startedAtEpochMs,
      text: markInWords(mark, attempt, words),
      isServer: false,
    }
  })
  const seen = arrivals.map(({ atEpochMs, answer }) => ({
    atMs: atEpochMs - track.startedAtEpochMs,
    text: answer === null ? words.marks.received : `${words.marks.received} (${answer})`,
    isServer: true,
  }))
  return [...lines, ...seen].sort((a, b) => a.atMs - b.atMs)
}

function markInWords(mark: Mark, attempt: number, { marks, ...words }: Words): string {
  switch (mark.kind) {
    case 'sent':
      return marks.sent(attempt)
    case 'failed':
      return marks.failed(reasonInWords(mark.reason, { marks, ...words }))
    case 'waiting':
      return marks.waiting(inSeconds(mark.untilEpochMs - mark.atEpochMs))
    case 'paused':
      return mark.cause === 'offline' ? marks.pausedOffline : marks.pausedHidden
    default:
      return marks[mark.kind]
  }
}

/** What a query is doing, by the last thing that happened to it. */
export function stateOf({ marks }: Track): keyof Words['now'] {
  const last = marks.at(-1)?.kind ?? 'sent'
  if (last === 'failed') return 'waiting'
  return last === 'continued' ? 'sent' : last
}
