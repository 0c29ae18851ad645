import { CircuitOpenError, type Clock } from '@query-retry/core'
import type { AnyQuery } from './operation.ts'
import type { Scope } from './scopes.ts'

/** Lets one attempt of one query through to its call, as far as the circuit breaker does. */
export interface CircuitGate {
  /** @throws {CircuitOpenError} where nothing is sent */
  pass<T>(call: () => T | Promise<T>): Promise<T>
  /** Tells the breaker of an end that the call itself does not show: taken back, or its limit is reached. */
  end(reason: unknown): void
}

/** The attempt that a query has under way. */
const underWay = new WeakMap<AnyQuery, AbortController>()

export function openGate(
  scope: Scope,
  breaker: NonNullable<Scope['breaker']>,
  query: AnyQuery,
  clock: Clock,
): CircuitGate {
  const { promise } = query
  const attempt = new AbortController()
  const takeBack = () => attempt.abort(0)
  return {
    async pass(call) {
      const nowMs = clock.nowMs()
      if (mustYield(scope, query)) throw new CircuitOpenError(nowMs, nowMs)
      // Whoever asks anew ("try now") takes the place of his own attempt, which may be the probe.
      underWay.get(query)?.abort(0)
      underWay.set(query, attempt)
      const admitted = () => {
        promise?.then(takeBack, takeBack)
        return call()
      }
      return breaker.run(admitted, { signal: attempt.signal })
    },
    end: reason => attempt.abort(reason),
  }
}

/**
 * Whether a query that is in nobody's view leaves the probes to one that is, and that will ask: not one that is
 * paused.
 */
function mustYield({ breaker, waiting }: Scope, query: AnyQuery): boolean {
  if (breaker?.state === 'closed' || query.isActive()) return false
  for (const other of waiting) {
    if (other.query.isActive() && other.pausedAtMs === undefined) return true
  }
  return false
}
