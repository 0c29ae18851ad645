/** The part of a policy that bounds an operation in time. Durations are milliseconds. */
export interface DeadlineOptions {
  /** For the whole operation, from the first attempt's start. `Infinity` for none. */
  deadlineMs: number
  /** Kept free before the deadline, for what the caller does with the answer. */
  reserveMs: number
  /** No attempt starts with less time left. */
  minAttemptMs: number
  /** Limit of one attempt; none where undefined. */
  attemptTimeoutMs?: number | undefined
}

/** What is left for attempts and waits; can be negative, `Infinity` where there is no deadline. */
export function timeLeftMs(options: DeadlineOptions, elapsedMs: number): number {
  return options.deadlineMs - options.reserveMs - elapsedMs
}

/** Whether an attempt still has its minimum after a wait of `delayMs`. */
export function canAttemptAfter(
  options: DeadlineOptions,
  elapsedMs: number,
  delayMs: number,
): boolean {
  return delayMs + options.minAttemptMs <= timeLeftMs(options, elapsedMs)
}

/**
 * The limit of an attempt that starts with `leftMs` left ({@link timeLeftMs}), or undefined where none is set: a
 * deadline never cuts an attempt short by itself.
 */
export function attemptLimitMs(options: DeadlineOptions, leftMs: number): number | undefined {
  return options.attemptTimeoutMs && Math.max(1, Math.min(options.attemptTimeoutMs, leftMs))
}
