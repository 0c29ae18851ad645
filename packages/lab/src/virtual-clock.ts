import type { Clock } from '@query-retry/core'
import { EventQueue, type Scheduled } from './event-queue.ts'

interface Sleeper extends Scheduled {
  /** Undefined once its sleep was taken back. */
  wake: (() => void) | undefined
}

/** Time that passes only from one sleeper's waking to the next one's. */
export class VirtualClock implements Clock {
  readonly #sleepers = new EventQueue<Sleeper>()
  #nowMs = 0

  nowMs(): number {
    return this.#nowMs
  }

  epochMs(): number {
    return this.#nowMs
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.sleepUntil(this.#nowMs + Math.max(0, ms), signal)
  }

  /** @throws the signal's reason, as soon as `signal` aborts */
  sleepUntil(atMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const sleeper: Sleeper = { atMs: 0, wake: resolve }
      this.#sleepers.schedule(sleeper, atMs)
      signal?.addEventListener('abort', () => {
        sleeper.wake = undefined
        reject(signal.reason)
      })
    })
  }

  /** Wakes every sleeper that is due up to and at `untilMs`, those who go to sleep meanwhile included. */
  async runUntil(untilMs: number): Promise<void> {
    await settle()
    for (let first = this.#sleepers.next(untilMs); first; first = this.#sleepers.next(untilMs)) {
      this.#nowMs = first.atMs
      first.wake?.()
      // Those of one instant together: what each does next is then done in the same order, and at one cost.
      for (let next = this.#sleepers.next(first.atMs); next; ) {
        next.wake?.()
        next = this.#sleepers.next(first.atMs)
      }
      await settle()
    }
  }
}

/** Lets everything run that waits for nothing but its turn, as core's `manualClock` does. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}
