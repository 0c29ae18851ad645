import type { ShopRoute } from '../shop-routes.ts'
import type { Fault } from './fault.ts'
import { ALL_ROUTES, type FaultTarget } from './fault-target.ts'

/** A fault as `GET /faults` shows it: with what is left of it. */
export type FaultState = Fault & { remainingMs?: number }

interface Entry {
  fault: Fault
  callsLeft: number
  endsAtMs: number
}

/**
 * Which fault waits for which route. Decides; does nothing to a connection.
 *
 * @param random - draws for `share`, in [0, 1); pass a seeded one to make a run repeatable
 * @param nowMs - monotonic clock, for `forMs`
 */
export class FaultBoard {
  readonly #entries = new Map<FaultTarget, Entry>()
  readonly #random: () => number
  readonly #nowMs: () => number

  constructor(random: () => number = Math.random, nowMs: () => number = () => performance.now()) {
    this.#random = random
    this.#nowMs = nowMs
  }

  /** Sets the fault of a route in place of an earlier one. */
  set(target: FaultTarget, fault: Fault): void {
    this.#entries.set(target, {
      fault,
      callsLeft: fault.calls ?? Number.POSITIVE_INFINITY,
      endsAtMs: this.#nowMs() + (fault.forMs ?? Number.POSITIVE_INFINITY),
    })
  }

  clear(target: FaultTarget): void {
    this.#entries.delete(target)
  }

  clearAll(): void {
    this.#entries.clear()
  }

  /** The fault that is set now, `calls` being what is left of it. */
  find(target: FaultTarget): FaultState | undefined {
    const entry = this.#findActive(target)
    if (!entry) return undefined
    return {
      ...entry.fault,
      ...(entry.fault.calls !== undefined && { calls: entry.callsLeft }),
      ...(entry.fault.forMs !== undefined && {
        remainingMs: Math.ceil(entry.endsAtMs - this.#nowMs()),
      }),
    }
  }

  /**
   * The fault that this call suffers, if any, and takes it off the count.
   *
   * A route's own fault goes before the one for all routes, and hides it for as long as it is set.
   */
  take(route: ShopRoute): Fault | undefined {
    const target = this.#findActive(route) ? route : ALL_ROUTES
    const entry = this.#findActive(target)
    if (!entry) return undefined
    if (entry.fault.share !== undefined && this.#random() >= entry.fault.share) return undefined
    entry.callsLeft -= 1
    if (entry.callsLeft <= 0) this.#entries.delete(target)
    return entry.fault
  }

  #findActive(target: FaultTarget): Entry | undefined {
    const entry = this.#entries.get(target)
    if (!entry || this.#nowMs() < entry.endsAtMs) return entry
    this.#entries.delete(target)
    return undefined
  }
}
