/** What is looked at to know when a circuit breaker, of whatever make, lets the next call through. */
export interface ProbeSchedule {
  /** When the next probe is due, on the monotonic clock; nothing, or an instant that has passed, where calls may go through. */
  readonly nextProbeAtMs: number | undefined
  /** While `'half-open'`, a refused call asks again soon: a probe that ends makes room before the next one is due. */
  readonly state?: string
}

/** Milliseconds until a probe is due; 0 or less where there is nothing to wait for. */
export function probeWaitMs(breaker: ProbeSchedule | undefined, nowMs: number): number {
  return breaker?.state === 'half-open' ? 0 : (breaker?.nextProbeAtMs ?? nowMs) - nowMs
}
