import type { Random } from '@query-retry/core'
import type { AnswerTime } from './answer-times.ts'
import { drawn } from './drawn-duration.ts'

/** The server that the herd calls. Durations are milliseconds. */
export interface ServerOptions {
  /**
   * Calls that it can take in each slot; from 0. A fraction is taken over time: 2.5 is 2 and 3 by turns.
   * A call takes its place when its work starts.
   */
  capacityPerSlot: number
  /** Length of a slot: the grain in which the server works and calls are counted. From 1. */
  slotMs: number
  /**
   * Until an answer, a refusal included, reaches its client: from the start of the slot in which the call came,
   * or in which its work starts where it has queued, and never before the call. Default `slotMs`: at the slot's
   * end. 0: at once.
   */
  answerMs?: AnswerTime
  /** Calls that wait for a later slot when the present one is full. Default 0: they are refused at once. */
  queueLimit?: number
  /** For so long every call is refused with 503. Default 0. */
  outageMs?: number
  /** When that begins. Default 0. */
  outageAtMs?: number
  /** What a call beyond capacity and queue is answered with. Default 503, as in an outage. */
  rejectStatus?: 503 | 429
  /** The `Retry-After` of every refusal. Default none. */
  retryAfterMs?: number
  /** The share of answers, refusals included, that are lost: their clients see a network failure. Default 0. */
  lostAnswerRatio?: number
}

/** What a call comes to. */
export interface Answer {
  atMs: number
  /** What the client's attempt throws; undefined where it succeeds. */
  error?: unknown
}

/** The server's side of a simulation. */
export interface ServerModel {
  /** @param nowMs - not before the previous call's */
  receive(nowMs: number): Answer
  /** Calls whose work was done, whether or not their clients heard of it. */
  readonly carriedOut: number
}

/**
 * Builds a server that takes so many calls a slot, first come first served, and refuses the rest.
 *
 * A call that it has taken is carried out, although its client may have stopped waiting: servers seldom know.
 */
export function createServer(
  options: Required<Omit<ServerOptions, 'retryAfterMs'>> & Pick<ServerOptions, 'retryAfterMs'>,
  random: Random,
): ServerModel {
  const { capacityPerSlot, slotMs, answerMs, queueLimit, outageMs, outageAtMs, lostAnswerRatio } =
    options
  const headers = retryAfter(options.retryAfterMs)
  const rejected = { status: options.rejectStatus, headers }
  const outage = { status: 503, headers }
  const lost = new TypeError('Failed to fetch')
  const isLossy = lostAnswerRatio > 0
  let carriedOut = 0
  /** Places of all slots up to the present one that are taken, or were left empty. */
  let taken = 0

  /** Places in all slots before `slot`. */
  const placesBefore = (slot: number) => Math.floor(slot * capacityPerSlot + 1e-9)

  const answer = (startMs: number, error?: unknown): Answer => {
    const takesMs = typeof answerMs === 'number' ? answerMs : drawn('answerMs', answerMs(random))
    return {
      atMs: Math.max(startMs, Math.floor(startMs / slotMs) * slotMs + takesMs),
      error: isLossy && random() < lostAnswerRatio ? lost : error,
    }
  }

  return {
    get carriedOut() {
      return carriedOut
    },
    receive(nowMs) {
      if (nowMs >= outageAtMs && nowMs < outageAtMs + outageMs) return answer(nowMs, outage)
      const slot = Math.floor(nowMs / slotMs)
      taken = Math.max(taken, placesBefore(slot))
      const queued = taken - placesBefore(slot + 1)
      if (queued >= queueLimit) return answer(nowMs, rejected)
      taken++
      carriedOut++
      if (queued < 0) return answer(nowMs)
      return answer(Math.ceil(taken / capacityPerSlot - 1e-9 - 1) * slotMs)
    },
  }
}

/** Whole seconds as the standard has them, anything else in the field that some servers add. */
function retryAfter(waitMs: number | undefined): Record<string, string> {
  if (waitMs === undefined) return {}
  const isWholeSeconds = waitMs % 1_000 === 0
  return isWholeSeconds
    ? { 'retry-after': String(waitMs / 1_000) }
    : { 'retry-after-ms': String(waitMs) }
}
