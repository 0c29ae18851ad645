import type { ProviderFault } from './fault.ts'

/** A fault as `GET /faults` shows it: with what is left of it. */
export type FaultState = ProviderFault & { remainingMs?: number }

interface Entry {
  fault: ProviderFault
  callsLeft: number
  endsAtMs: number
}

/** A call that a fault may hit. */
export interface FaultableCall {
  /** Undefined where it is not known what the call is about: only general faults hit it. */
  reference: string | undefined
  /** `repeat`: of a key that has its charge already. */
  type: 'first' | 'repeat' | 'lookup'
}

/**
 * Which faults wait for whom, in the order in which they were given. Decides; does nothing to a
 * connection or a charge.
 *
 * A script is a list whose entries have `calls`: each is used up before the next one's turn comes. A
 * mixture is a list whose entries have a `share`: each draws among the calls that those before it
 * have spared.
 *
 * @param random - draws for `share`, in [0, 1); pass a seeded one to make a run repeatable
 * @param nowMs - monotonic clock, for `forMs`
 */
export class FaultPlan {
  #entries: Entry[] = []
  readonly #random: () => number
  readonly #nowMs: () => number

  constructor(random: () => number = Math.random, nowMs: () => number = () => performance.now()) {
    this.#random = random
    this.#nowMs = nowMs
  }

  /** Puts these in place of all that was planned. */
  replace(faults: readonly ProviderFault[]): void {
    this.#entries = []
    for (const fault of faults) this.add(fault)
  }

  /** Adds one at the end. */
  add(fault: ProviderFault): void {
    this.#entries.push({
      fault,
      callsLeft: fault.calls ?? Number.POSITIVE_INFINITY,
      endsAtMs: this.#nowMs() + (fault.forMs ?? Number.POSITIVE_INFINITY),
    })
  }

  /** What is left of the plan; what is used up or over is gone. */
  list(): FaultState[] {
    this.#dropOver()
    return this.#entries.map(({ fault, callsLeft, endsAtMs }) => ({
      ...fault,
      ...(fault.calls !== undefined && { calls: callsLeft }),
      ...(fault.forMs !== undefined && { remainingMs: Math.ceil(endsAtMs - this.#nowMs()) }),
    }))
  }

  /** The fault that this call suffers, if any, and takes it off the count. An order's own go first. */
  take(call: FaultableCall): ProviderFault | undefined {
    this.#dropOver()
    const fitting = this.#entries.filter(({ fault }) => canHit(fault, call))
    const own = fitting.filter(({ fault }) => fault.reference !== undefined)
    const general = fitting.filter(({ fault }) => fault.reference === undefined)
    const hit = [...own, ...general].find(
      ({ fault }) => fault.share === undefined || this.#random() < fault.share,
    )
    if (!hit) return undefined
    hit.callsLeft -= 1
    return hit.fault
  }

  #dropOver(): void {
    const nowMs = this.#nowMs()
    this.#entries = this.#entries.filter(entry => entry.callsLeft > 0 && nowMs < entry.endsAtMs)
  }
}

function canHit(fault: ProviderFault, call: FaultableCall): boolean {
  if (fault.reference !== undefined && fault.reference !== call.reference) return false
  if (call.type === 'lookup') return fault.kind === 'down'
  // A stored result stays what it is, so a decline waits for a call that it can change.
  return fault.kind !== 'decline' || call.type === 'first'
}
