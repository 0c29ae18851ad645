import { type Clock, systemClock } from '@query-retry/core'

/** A clock on Vitest's fake timers, which TanStack Query's own waits follow as well. */
export interface FakeTimerClock extends Clock {
  /** Lets time pass without any timer noticing, as a frozen tab or a machine asleep does. */
  freezeFor(ms: number): void
  /** Moves the wall clock alone. */
  shiftEpoch(ms: number): void
  /** How often a sleep was asked for. */
  readonly sleepCount: number
}

/** Starts at 0, on a wall clock as wrong as it is told. */
export function fakeTimerClock(): FakeTimerClock {
  const startedAtMs = performance.now()
  let frozenMs = 0
  let epochShiftMs = 0
  let sleepCount = 0
  return {
    nowMs: () => performance.now() - startedAtMs + frozenMs,
    epochMs: () => Date.now() + frozenMs + epochShiftMs,
    sleep(ms, signal) {
      sleepCount++
      return systemClock.sleep(ms, signal)
    },
    freezeFor(ms) {
      frozenMs += ms
    },
    shiftEpoch(ms) {
      epochShiftMs += ms
    },
    get sleepCount() {
      return sleepCount
    },
  }
}
