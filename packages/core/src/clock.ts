/**
 * Time as a parameter: everything that measures or waits takes a clock, so that tests and
 * simulations can move time by hand.
 */
export interface Clock {
  /** Monotonic milliseconds. Deadlines are measured with it: setting the wall clock changes nothing. */
  nowMs(): number
  /** Unix milliseconds of the wall clock. Only for dates that people or servers wrote. */
  epochMs(): number
  /**
   * Waits `ms` milliseconds.
   *
   * @throws the signal's reason, as soon as `signal` aborts; no timer and no listener is left behind
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The largest delay a timer takes, 2^31 - 1 ms (24.8 days). Longer ones fire at once. */
export const MAX_TIMER_MS = 2_147_483_647

/** What {@link systemClock} measures with, for what never waits. */
export const systemStopwatch: Pick<Clock, 'nowMs'> = { nowMs: () => performance.now() }

/** The machine's own clock: `performance.now`, `Date.now` and `setTimeout`. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  epochMs: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted()
    let end!: () => void
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>(resolve => {
      end = resolve
      timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS))
      signal?.addEventListener('abort', end)
    })
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    signal?.throwIfAborted()
  },
}
