import { drawBackoff, type ResolvedBackoff, windowMs } from '../backoff.ts'
import { MAX_TIMER_MS } from '../clock.ts'
import { timeLeftMs } from '../deadline.ts'
import type { ResolvedRetryPolicy } from '../retry-policy.ts'

/** The backoff draws of one retry, or of several in a row that are alike. Whole milliseconds, but for the mean. */
export interface RetryWait {
  /** 1 for the first. */
  retry: number
  /** The last that is alike; `Infinity` where there is no last. */
  lastRetry: number
  lowMs: number
  highMs: number
  /**
   * Over all operations that get there. Halfway between the two, but for decorrelated draws: those depend on the
   * one before, and the longest are rare.
   */
  meanMs: number
}

/** What the waits of an operation that only fails come to, where each attempt fails at once. */
export interface WaitTotals {
  /** Retries that the settings may come to, the deadline included. `Infinity` allowed. */
  retries: number
  /** Mean of all waits together. */
  expectedWaitMs: number
  /** The deadline cuts waits off: {@link expectedWaitMs} is then an estimate, within 10 %. */
  isCutByDeadline: boolean
  /** The longest backoff waits together. */
  worstWaitMs: number
  /** The same where the server asks for as long a wait as is accepted, each time. */
  worstServerWaitMs: number
  /** From the first attempt's start to the end, at the longest: `Infinity` where nothing limits an attempt. */
  longestMs: number
}

/** Windows may grow by so little that they never get to the cap: of those after it, none is longer. */
const MOST_WINDOWS = 1_000

/** The waits of a policy in their order, those that are alike as one. None for `maxRetries: 0`. */
export function retryWaits(options: ResolvedRetryPolicy): RetryWait[] {
  const { capMs, maxRetries } = options
  const isDecorrelated = options.jitter === 'decorrelated'
  const waits: RetryWait[] = []
  let last: RetryWait | undefined
  let longestBefore: number | undefined
  let spread: number[] | undefined
  for (let index = 0; index < maxRetries; index++) {
    if (last && index === MOST_WINDOWS) {
      const highMs = Math.max(last.highMs, Math.floor(capMs))
      waits.push({ ...last, retry: index + 1, lastRetry: maxRetries, highMs })
      break
    }
    const lowMs = drawAt(0, options, index, longestBefore)
    const highMs = drawAt(ALMOST_1, options, index, longestBefore)
    if (isDecorrelated) spread = spreadAfter(spread, lowMs, longestBefore ?? highMs, highMs, capMs)
    const meanMs = spread ? meanOf(spread, lowMs, highMs) : (lowMs + highMs) / 2
    const isAlike =
      last?.lowMs === lowMs && last.highMs === highMs && Math.abs(last.meanMs - meanMs) < 0.5
    if (!last || !isAlike) {
      last = { retry: index + 1, lastRetry: index + 1, lowMs, highMs, meanMs }
      waits.push(last)
    }
    const isSettled = isDecorrelated
      ? isAlike
      : windowMs(options, index) === windowMs(options, index + 1)
    last.lastRetry = isSettled ? maxRetries : index + 1
    if (isSettled) break
    longestBefore = highMs
  }
  return waits
}

const ALMOST_1 = 1 - Number.EPSILON / 2

/** The draw that core itself makes of this random number: the shortest of 0, the longest of almost 1. */
function drawAt(
  value: number,
  options: ResolvedBackoff,
  index: number,
  previousMs: number | undefined,
): number {
  return drawBackoff({ ...options, random: () => value }, windowMs(options, index, previousMs))
}

const CELLS = 100

/**
 * How decorrelated draws spread between the shortest and the longest, in {@link CELLS} equal parts, where those
 * before them spread as `before` says; the first are as likely in each. There is no closed form once the cap
 * cuts: a draw's window is three times the draw before it.
 */
function spreadAfter(
  before: readonly number[] | undefined,
  lowMs: number,
  highBeforeMs: number,
  highMs: number,
  capMs: number,
): number[] {
  const spread = new Array<number>(CELLS).fill(before ? 0 : 1 / CELLS)
  before?.forEach((share, cell) => {
    const previousMs = lowMs + ((cell + 0.5) / CELLS) * (highBeforeMs - lowMs)
    const width = highMs > lowMs ? (Math.min(capMs, 3 * previousMs) - lowMs) / (highMs - lowMs) : 1
    const filled = Math.min(1, width) * CELLS
    for (let index = 0; index < filled; index++) {
      spread[index] = (spread[index] as number) + (share / filled) * Math.min(1, filled - index)
    }
  })
  return spread
}

function meanOf(spread: readonly number[], lowMs: number, highMs: number): number {
  return spread.reduce(
    (sum, share, cell) => sum + share * (lowMs + ((cell + 0.5) / CELLS) * (highMs - lowMs)),
    0,
  )
}

/** @param waits - {@link retryWaits} of the same options */
export function totalWaits(options: ResolvedRetryPolicy, waits: readonly RetryWait[]): WaitTotals {
  const { attemptTimeoutMs = Infinity } = options
  const leftMs = timeLeftMs(options, 0)
  const roomMs = leftMs - options.minAttemptMs
  const retries = retriesThatFit(waits, roomMs, wait => shortestMs(options, wait))
  const byBackoff = retriesThatFit(waits, roomMs, ({ lowMs }) => lowMs)
  const acceptedMs = Math.floor(Math.min(options.maxServerWaitMs, MAX_TIMER_MS, roomMs))
  const worstServerWaitMs = within(
    roomMs,
    sumOf(waits, retries, ({ highMs }) => longestMs(options, highMs, acceptedMs)),
  )
  const lastStartMs =
    retries > 0 ? within(roomMs, worstServerWaitMs + retries * attemptTimeoutMs) : 0
  const expectedMs = expectedWaitMs(waits, roomMs)
  return {
    retries,
    expectedWaitMs: expectedMs,
    isCutByDeadline: expectedMs < sumOf(waits, Infinity, ({ meanMs }) => meanMs),
    worstWaitMs: within(
      roomMs,
      sumOf(waits, byBackoff, ({ highMs }) => highMs),
    ),
    worstServerWaitMs,
    longestMs:
      attemptTimeoutMs === Infinity
        ? Infinity
        : Math.max(1, lastStartMs + Math.min(attemptTimeoutMs, leftMs - lastStartMs)),
  }
}

/** Delays are whole milliseconds. */
function within(roomMs: number, ms: number): number {
  return Math.max(0, Math.min(Math.floor(roomMs), ms))
}

/** A server that asks for a moment replaces a long draw by the floor: after a 5xx the spread starts there. */
function shortestMs(options: ResolvedRetryPolicy, { lowMs }: RetryWait): number {
  const isReplaced =
    options.jitter !== 'none' && options.serverWait === 'add' && options.maxServerWaitMs >= 1
  return isReplaced ? Math.min(lowMs, Math.max(1, Math.ceil(options.floorMs))) : lowMs
}

/** One wait at its longest, where the server asks for `serverMs`. */
function longestMs(
  { jitter, serverWait }: ResolvedRetryPolicy,
  highMs: number,
  serverMs: number,
): number {
  if (serverMs < 1) return highMs
  if (serverWait === 'max') return Math.max(highMs, serverMs)
  const spreadMs = jitter === 'none' ? highMs : Math.max(highMs, serverMs)
  return Math.min(MAX_TIMER_MS, serverMs + spreadMs)
}

/** How many waits of the given lengths, one after another, fit. */
function retriesThatFit(
  waits: readonly RetryWait[],
  roomMs: number,
  lengthOf: (wait: RetryWait) => number,
): number {
  let leftMs = roomMs
  let retries = 0
  for (const wait of waits) {
    if (leftMs < 0) break
    const count = wait.lastRetry - wait.retry + 1
    const lengthMs = lengthOf(wait)
    const fitting = lengthMs > 0 ? Math.min(count, Math.floor(leftMs / lengthMs)) : count
    retries += fitting
    if (fitting < count || fitting === Infinity) break
    leftMs -= fitting * lengthMs
  }
  return retries
}

/** The first `retries` waits together. */
function sumOf(
  waits: readonly RetryWait[],
  retries: number,
  lengthOf: (wait: RetryWait) => number,
): number {
  return waits
    .filter(wait => wait.retry <= retries)
    .reduce(
      (sum, wait) => sum + (Math.min(wait.lastRetry, retries) - wait.retry + 1) * lengthOf(wait),
      0,
    )
}

/**
 * The means, retry by retry. A draw that is longer than what the waits before it leave on average ends the
 * operation: it and those after it count by the share of draws that fit.
 */
function expectedWaitMs(waits: readonly RetryWait[], roomMs: number): number {
  let elapsedMs = 0
  let reached = 1
  let expectedMs = 0
  for (const { retry, lastRetry, lowMs, meanMs } of waits) {
    let count = lastRetry - retry + 1
    const highMs = 2 * meanMs - lowMs
    const fitting = Math.floor((roomMs - elapsedMs - highMs) / meanMs) + 1
    const certain = Math.max(0, Math.min(count, fitting))
    expectedMs += reached * certain * meanMs
    elapsedMs += certain * meanMs
    for (count -= certain; count > 0 && elapsedMs < Infinity; count--) {
      const longestMs = Math.min(highMs, Math.floor(roomMs - elapsedMs))
      if (longestMs < lowMs) return expectedMs
      reached *= (longestMs - lowMs + 1) / (highMs - lowMs + 1)
      expectedMs += (reached * (lowMs + longestMs)) / 2
      elapsedMs += meanMs
    }
  }
  return expectedMs
}
