import { CircuitBreaker, RetryBudget, type RetryPresetOptions } from '@query-retry/react'

/** The page itself, and the two crowds that the long outage brings. */
export const SCOPES = ['page', 'bounded', 'unbounded'] as const
export type ScopeName = (typeof SCOPES)[number]

/** One of the crowd's queries; they are part of the backstage, not of the page. */
export function isOfCrowd(queryKey: readonly unknown[] | undefined): boolean {
  return queryKey?.[0] === 'crowd'
}

export interface Scope {
  budget?: RetryBudget
  breaker?: CircuitBreaker
}

export type ScopeGauges = ReturnType<typeof createScopeGauges>

/**
 * Budgets and breakers of the shop's preset, kept for the gauges.
 *
 * The page has the budget that ships, and no breaker: it asks too little to need one. The bounded crowd has
 * both, smaller and quicker than a shop would want them, so that they move while somebody watches.
 */
export function createScopeGauges() {
  const scopes: Record<ScopeName, Scope> = { page: {}, bounded: {}, unbounded: {} }

  const options: RetryPresetOptions = {
    scopeOf: ({ queryKey }) => (isOfCrowd(queryKey) ? String(queryKey?.[1]) : 'page'),
    budget(scope) {
      if (scope === 'unbounded') return false
      const budget = new RetryBudget({ capacity: scope === 'bounded' ? 20 : 60 })
      scopes[scope as ScopeName].budget = budget
      return budget
    },
    circuitBreaker(scope) {
      if (scope !== 'bounded') return undefined
      const breaker = new CircuitBreaker({ openMs: 4_000, maxOpenMs: 8_000 })
      scopes[scope].breaker = breaker
      return breaker
    },
  }

  return {
    /** For `createRetryPreset`. */
    options,
    read: (name: ScopeName): Scope => scopes[name],
  }
}
