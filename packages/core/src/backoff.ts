import { checkOptions, POLICY_RULES } from './option-rules.ts'
import { drawBetween, type Random } from './random.ts'

/**
 * How a delay is drawn inside its window.
 *
 * - `'full'`: anywhere in [floor, window]
 * - `'equal'`: in the upper half, [max(floor, window / 2), window]
 * - `'decorrelated'`: in [max(floor, base), min(cap, 3 * previous draw)]; the first previous is base
 * - `'none'`: the window itself. Clients that fail together come back together.
 *
 * @see AWS Architecture Blog, "Exponential Backoff And Jitter" (2015), for the names
 */
export type Jitter = 'full' | 'equal' | 'decorrelated' | 'none'

/** The shape of the waits between attempts. Durations are milliseconds. */
export interface BackoffOptions {
  /** First window. Default 1000; above 0. */
  baseMs?: number
  /** No draw is longer. Default 8000; from `floorMs` to 2^31 - 1. */
  capMs?: number
  /** No draw is shorter. Default 200; from 0 to `capMs`. Windows at or below it leave nothing to draw from. */
  floorMs?: number
  /** Window k is `min(capMs, baseMs * factor ** k)`. Default 2; at least 1. */
  factor?: number
  /** Default `'full'`. */
  jitter?: Jitter
  /** Source of the draws. Default `Math.random`. */
  random?: Random
}

/** Every backoff option with a value. */
export type ResolvedBackoff = Required<BackoffOptions>

/**
 * Gives the delay before retry `retryIndex`.
 *
 * @param retryIndex - 0 before the first retry
 * @param previousDelayMs - the previous draw; only `'decorrelated'` reads it, and takes base without it
 * @returns whole milliseconds in [floorMs, capMs]. Never throws.
 */
export type Backoff = (retryIndex: number, previousDelayMs?: number) => number

export const DEFAULT_BACKOFF: ResolvedBackoff = {
  baseMs: 1_000,
  floorMs: 200,
  capMs: 8_000,
  factor: 2,
  jitter: 'full',
  random: () => Math.random(),
}

/**
 * Builds the function that says how long to wait before each retry.
 *
 * The draw is taken inside [floor, window], never clamped afterwards: clamping puts every draw below
 * the floor onto the floor itself, and with it a fifth of all clients into one millisecond (4,200
 * clients, base 1 s, floor 200 ms).
 *
 * @throws {RetryOptionError} naming the option, its value and the accepted range
 * @example
 * const backoff = createBackoff({ baseMs: 100, floorMs: 0, random: () => 0.5 })
 * backoff(2) // => 200
 */
export function createBackoff(options: BackoffOptions = {}): Backoff {
  const resolved = checkOptions(options, POLICY_RULES, DEFAULT_BACKOFF)
  return (retryIndex, previousDelayMs) => {
    // NaN counts as 0, and 1 ** Infinity would be NaN.
    const index = retryIndex > 0 ? Math.min(retryIndex, 1e9) : 0
    return drawBackoff(resolved, windowMs(resolved, index, previousDelayMs))
  }
}

/** One draw from the window of a retry ({@link windowMs}). */
export function drawBackoff(options: ResolvedBackoff, longestMs: number): number {
  const shortestMs = {
    full: 0,
    equal: longestMs / 2,
    decorrelated: options.baseMs,
    none: longestMs,
  }[options.jitter]
  const lowMs = Math.max(options.floorMs, Math.min(shortestMs, Math.floor(longestMs)))
  return drawBetween(lowMs, longestMs, options.random)
}

/** The longest wait that retry `retryIndex` may draw, in milliseconds; at most `capMs`, and may be below the floor. */
export function windowMs(
  options: ResolvedBackoff,
  retryIndex: number,
  previousDelayMs?: number,
): number {
  const uncappedMs =
    options.jitter === 'decorrelated'
      ? 3 * (previousDelayMs || options.baseMs)
      : options.baseMs * options.factor ** retryIndex
  return Math.min(options.capMs, uncappedMs)
}
