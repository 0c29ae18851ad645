import { type CircuitBreaker, type Clock, RetryBudget } from '@query-retry/core'
import type { MutationKey, QueryKey } from '@tanstack/react-query'
import { checkPart } from './development-warnings.ts'
import type { AnyQuery, Operation } from './operation.ts'
import { reportThrown } from './report-thrown.ts'
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
   * none. A factory, so that it is bundled only where it is used. Queries go through it, mutations do not.
   */
  circuitBreaker?: (scope: string) => CircuitBreaker | undefined
  /**
   * Names the scope of a query or mutation, say the service behind it. What shares a scope shares its
   * budget and its breaker. Few values: each is kept, and named in events. Default one for all.
   */
  scopeOf?: (operation: ScopedOperation) => string
}

/** What is shared by all operations that depend on the same thing. */
export interface Scope {
  readonly name: string
  readonly budget?: RetryBudget | false | undefined
  readonly breaker?: CircuitBreaker | undefined
  /** Those that wait while the circuit is not closed. */
  readonly waiting: Set<Operation>
}

/** The scopes of one preset, made when they are first met. Never throws: what the options throw is reported, and a scope goes without. */
export function createScopes(
  { budget, circuitBreaker, scopeOf }: ScopeOptions,
  clock: Clock,
  onEvent: RetryEventListener,
): (operation: ScopedOperation) => Scope {
  const scopes = new Map<string, Scope>()
  const makeBudget = budget ?? (() => new RetryBudget({ clock }))

  return operation => {
    const name = ask(() => scopeOf?.(operation)) ?? 'default'
    let scope = scopes.get(name)
    if (!scope) {
      const breaker = ask(() => checkPart('circuitBreaker', circuitBreaker?.(name)))
      scope = {
        name,
        budget: makeBudget && ask(() => checkPart('budget', makeBudget(name))),
        breaker,
        waiting: new Set(),
      }
      scopes.set(name, scope)
      breaker?.subscribe((state, previousState) => {
        if (state !== previousState) {
          onEvent({ type: 'breaker-changed', scope: name, state, previousState })
        }
      })
    }
    return scope
  }
}

/** Whether a query that is in nobody's view leaves the probes to one that is. */
export function mustYield({ waiting }: Scope, { state }: CircuitBreaker, query: AnyQuery): boolean {
  return (
    state !== 'closed' && !query.isActive() && [...waiting].some(other => other.query.isActive())
  )
}

function ask<T>(option: () => T): T | undefined {
  try {
    return option()
  } catch (error) {
    reportThrown(error)
    return undefined
  }
}
