import type { RunStopReason } from '@query-retry/core'
import type { ResolvedHerdOptions } from './herd-options.ts'
import type { HerdResult } from './herd-result.ts'
import { instantOfShare } from './percentile.ts'

/** Writes down what happens in a simulation, and adds it up at the end. */
export class HerdRecorder {
  readonly #options: ResolvedHerdOptions
  readonly #callsPerSlot: number[] = []
  readonly #retriesPerSlot: number[] = []
  readonly #servedAtMs: Float64Array
  readonly #gaveUpBecause: Partial<Record<RunStopReason, number>> = {}
  #totalCalls = 0
  #served = 0
  #done = 0
  #longestWaitMs = 0

  constructor(options: ResolvedHerdOptions) {
    this.#options = options
    this.#servedAtMs = new Float64Array(options.clients)
  }

  call(nowMs: number, isRetry: boolean): void {
    const slot = Math.floor(nowMs / this.#options.slotMs)
    while (this.#callsPerSlot.length <= slot) {
      this.#callsPerSlot.push(0)
      this.#retriesPerSlot.push(0)
    }
    this.#totalCalls++
    ;(this.#callsPerSlot[slot] as number)++
    if (isRetry) (this.#retriesPerSlot[slot] as number)++
  }

  served(arrivedAtMs: number, nowMs: number): void {
    this.#servedAtMs[this.#served++] = nowMs
    this.#end(arrivedAtMs, nowMs)
  }

  gaveUp(arrivedAtMs: number, nowMs: number, reason: RunStopReason): void {
    this.#gaveUpBecause[reason] = (this.#gaveUpBecause[reason] ?? 0) + 1
    this.#end(arrivedAtMs, nowMs)
  }

  #end(arrivedAtMs: number, nowMs: number): void {
    this.#longestWaitMs = Math.max(this.#longestWaitMs, nowMs - arrivedAtMs)
    this.#done++
    const { clients, onProgress } = this.#options
    if (onProgress && (this.#done % Math.ceil(clients / 100) === 0 || this.#done === clients)) {
      onProgress(this.#done)
    }
  }

  /**
   * @param stillTrying - when each client arrived that has not ended
   * @param carriedOut - calls that the server carried out
   */
  result(stillTrying: Iterable<number>, carriedOut: number): HerdResult {
    const { clients, slotMs, seed, untilMs } = this.#options
    for (const arrivedAtMs of stillTrying) {
      this.#longestWaitMs = Math.max(this.#longestWaitMs, untilMs - arrivedAtMs)
    }
    // Instants were written down in the order in which they came.
    const servedAtMs = this.#servedAtMs.subarray(0, this.#served)
    const instant = (share: number) => instantOfShare(servedAtMs, share, clients)
    return {
      clients,
      totalCalls: this.#totalCalls,
      minimumCalls: clients,
      carriedOut,
      peakCallsPerSlot: largest(this.#callsPerSlot),
      peakRetriesPerSlot: largest(this.#retriesPerSlot),
      served: this.#served,
      gaveUp: this.#done - this.#served,
      gaveUpBecause: this.#gaveUpBecause,
      stillTrying: clients - this.#done,
      allServedAtMs: instant(1),
      p50ServedAtMs: instant(0.5),
      p99ServedAtMs: instant(0.99),
      longestWaitMs: this.#longestWaitMs,
      slotMs,
      callsPerSlot: this.#callsPerSlot,
      retriesPerSlot: this.#retriesPerSlot,
      seed,
    }
  }
}

/** `Math.max(...numbers)` for more numbers than there may be arguments. */
function largest(numbers: number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0)
}
