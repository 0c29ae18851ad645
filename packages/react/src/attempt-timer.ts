import type { Clock } from '@query-retry/core'

/** Calls `onDue` after `delayMs`, unless the returned function is called before. */
export type AttemptTimer = (delayMs: number, onDue: () => void) => () => void

/**
 * One sleeper for the limits of all attempts, since most attempts answer long before their limit and
 * a timer each is the larger part of what a limit costs. It wakes at the earliest limit, and sleeps
 * on while there are others; with none left it runs out by itself.
 */
export function createAttemptTimer(clock: Clock): AttemptTimer {
  const limits = new Map<() => void, number>()
  let wakeAtMs = Infinity

  function sleepUntil(atMs: number): void {
    wakeAtMs = atMs
    // A limit that came later and ends sooner has a sleeper of its own, which replaces this one.
    const wakeIfCurrent = () => atMs === wakeAtMs && wake()
    clock.sleep(atMs - clock.nowMs()).then(wakeIfCurrent)
  }

  function wake(): void {
    const nowMs = clock.nowMs()
    let nextMs = Infinity
    for (const [onDue, dueAtMs] of limits) {
      if (dueAtMs > nowMs) nextMs = Math.min(nextMs, dueAtMs)
      else if (limits.delete(onDue)) onDue()
    }
    wakeAtMs = nextMs
    if (nextMs < Infinity) sleepUntil(nextMs)
  }

  return (delayMs, onDue) => {
    const dueAtMs = clock.nowMs() + delayMs
    limits.set(onDue, dueAtMs)
    if (dueAtMs < wakeAtMs) sleepUntil(dueAtMs)
    return () => limits.delete(onDue)
  }
}
