import { type CircuitBreaker, type Clock, RetryBudget, type RunBudget } from '@query-retry/core'
import type { MutationKey, QueryKey } from '@tanstack/react-query'
import { checkPart } from './development-warnings.ts'
import type { Operation } from './operation.ts'
import { ask, reportThrown } from './report-thrown.ts'
import type { RetryEventListener } from './retry-events.ts'

/** What a scope is chosen by: a query, or a mutation that is sent under a key. */
export interface ScopedOperation {
  readonly queryKey?: QueryKey
  readonly mutationKey?: MutationKey
  readonly meta?: Record<string, unknown> | undefined
}

export interface ScopeOptions {
  /**
   * The retry budget of each scope, which bounds its retries together; false for none, of one scope or of
   * all. Default `new RetryBudget()`: 60 saved up, one more each second and with every ten successes.
   */
  budget?: false | ((scope: string) => RetryBudget | false)
  /**
   * The circuit breaker of each scope: `() => new CircuitBreaker()`; undefined for a scope without. Default
   * none. A factory, so that it is bundled only where it is used. Queries go through it, mutations do not. Give
   * it the preset's `clock`, where that has one of its own.
   */
  circuitBreaker?: (scope: string) => CircuitBreaker | undefined
  /**
   * Names the scope of a query or mutation, say the service behind it. What shares a scope shares its
   * budget and its breaker. Few values: each is kept, and named in events. Default `'default'` for all.
   */
  scopeOf?: (operation: ScopedOperation) => string
}

/** What is shared by all operations that depend on the same thing. Nothing in it throws. */
export interface Scope {
  readonly name: string
  readonly budget: RunBudget | undefined
  readonly breaker: ScopeBreaker | undefined
  /** Those whose next attempt waits for a probe of the circuit. */
  readonly waiting: Set<Operation>
}

type ScopeBreaker = Pick<CircuitBreaker, 'state' | 'nextProbeAtMs' | 'run'>

/**
 * The scopes of one preset, made when they are first met. Never throws: what the options throw is reported, and a
 * scope goes without.
 */
export function createScopes(
  { budget, circuitBreaker, scopeOf }: ScopeOptions,
  clock: Clock,
  onEvent: RetryEventListener,
): (operation: ScopedOperation) => Scope {
  const scopes = new Map<string, Scope>()
  const makeBudget = budget ?? (() => new RetryBudget({ clock }))

  function make(name: string): Scope {
    const ownBudget = makeBudget ? ask(() => checkPart('budget', makeBudget(name))) : false
    const breaker = ask(() => checkPart('circuitBreaker', circuitBreaker?.(name)))
    ask(() =>
      breaker?.subscribe((state, previousState) => {
        if (state !== previousState) {
          onEvent({ type: 'breaker-changed', scope: name, state, previousState })
        }
      }),
    )
    return {
      name,
      budget: ownBudget ? guardBudget(ownBudget) : undefined,
      breaker: breaker && guardBreaker(breaker),
      waiting: new Set(),
    }
  }

  return operation => {
    const named = ask(() => checkPart('scopeOf', scopeOf?.(operation)))
    // A promise or an object would be another scope each time.
    const name = typeof named === 'string' ? named : 'default'
    const scope = scopes.get(name) ?? make(name)
    scopes.set(name, scope)
    return scope
  }
}

/** A budget that throws grants what it is asked for: a retry too many is better than a query that never ends. */
function guardBudget(budget: RetryBudget): RunBudget {
  return {
    tryWithdraw: () => ask(() => budget.tryWithdraw()) ?? true,
    refund: () => ask(() => budget.refund()),
    recordSuccess: () => ask(() => budget.recordSuccess()),
  }
}

/** Through a breaker that throws calls go as if there were none. */
function guardBreaker(breaker: CircuitBreaker): ScopeBreaker {
  return {
    get state() {
      return ask(() => breaker.state) ?? 'closed'
    },
    get nextProbeAtMs() {
      return ask(() => breaker.nextProbeAtMs)
    },
    async run(call, options) {
      let isCalled = false
      const own = () => {
        isCalled = true
        return call()
      }
      try {
        return await breaker.run(own, options)
      } catch (error) {
        if (isCalled || Object(error).code === 'CIRCUIT_OPEN') throw error
        reportThrown(error)
        return call()
      }
    },
  }
}
