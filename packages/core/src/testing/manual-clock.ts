import type { Clock } from '../clock.ts'

/** A clock that stands still until it is told to move. */
export interface ManualClock extends Clock {
  /**
   * Moves both clocks forward and wakes the sleepers that are due, in order of their time. Each one's
   * continuations run before the next wakes, so a loop that sleeps again is woken again.
   */
  advance(ms: number): Promise<void>
  /** Sets the wall clock alone, as a user or a time server does. */
  setEpochMs(ms: number): void
  /** How many sleepers wait. */
  readonly pending: number
}

/**
 * A clock moved by hand, for tests without waits.
 *
 * @param options.epochMs - where the wall clock starts, Unix milliseconds. Default 0
 * @example
 * const clock = manualClock()
 * const woken = clock.sleep(1_000).then(() => clock.nowMs())
 * await clock.advance(2_500)
 * await woken // => 1000
 */
export function manualClock(options: { epochMs?: number } = {}): ManualClock {
  let nowMs = 0
  let epochOffsetMs = options.epochMs ?? 0
  const sleepers = new Set<{ dueMs: number; wake: () => void }>()

  return {
    nowMs: () => nowMs,
    epochMs: () => nowMs + epochOffsetMs,
    setEpochMs(ms) {
      epochOffsetMs = ms - nowMs
    },
    get pending() {
      return sleepers.size
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const onAbort = () => {
          sleepers.delete(sleeper)
          reject(signal?.reason)
        }
        const sleeper = {
          dueMs: nowMs + Math.max(0, ms),
          wake() {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', onAbort)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', onAbort, { once: true })
      }),
    async advance(ms) {
      const untilMs = nowMs + ms
      await settle()
      for (;;) {
        const next = [...sleepers].sort((a, b) => a.dueMs - b.dueMs)[0]
        if (!next || next.dueMs > untilMs) break
        nowMs = Math.max(nowMs, next.dueMs)
        next.wake()
        await settle()
      }
      nowMs = untilMs
    },
  }
}

/** Lets everything run that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}
