import { CircuitBreaker, RetryBudget } from '@query-retry/core'
import {
  focusManager,
  InfiniteQueryObserver,
  type QueryFunctionContext,
  QueryObserver,
} from '@tanstack/react-query'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endWithLatestError, restart } from './notice-actions.ts'
import { type AnyQuery, operationOf } from './operation.ts'
import type { Scope } from './scopes.ts'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

/** Ten queries, two of each kind: plain, reading its signal, infinite, never answering, slow. */
const id = fc.nat(9)
const isInfinite = (query: number) => query % 5 === 2

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('observe' as const), id }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('unobserve' as const), id }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fetch' as const), id }) },
  fc.record({ do: fc.constant('cancel' as const), id }),
  fc.record({ do: fc.constant('remove' as const), id }),
  fc.record({ do: fc.constant('try now' as const), id }),
  fc.record({ do: fc.constant('cancel by notice' as const), id }),
  fc.record({ do: fc.constant('refetch' as const), id }),
  fc.record({ do: fc.constant('reset' as const), id }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.oneof(fc.nat(30), fc.nat(600), fc.nat(6_000)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('focus' as const), isOn: fc.boolean() }) },
  fc.record({ do: fc.constant('enable' as const), isOn: fc.boolean() }),
  fc.record({ do: fc.constant('mend' as const), isOn: fc.boolean() }),
)

/** One page with ten queries, one budget and, with `hasBreaker`, one circuit breaker. */
function openPage(capacity: number, hasBreaker: boolean) {
  const world = { isEnabled: true, isUp: false }
  const clock = { nowMs: () => performance.now() }
  const budget = new RetryBudget({ capacity, refillPerSecond: 0, depositPerSuccess: 0, clock })
  const { client } = startConversation({
    resumeSpreadMs: 500,
    random: Math.random,
    attemptTimeoutMs: 700,
    enabled: () => world.isEnabled,
    budget: () => budget,
    circuitBreaker: () =>
      hasBreaker
        ? new CircuitBreaker({ minimumCalls: 3, openMs: 2_000, maxOpenMs: 4_000, clock })
        : undefined,
  })
  /** Calls of each fetch. */
  const calls = new Map<unknown, number>()
  const scopes = new Set<Scope>()
  const observers = new Map<number, { refetch(): void; stop(): void }>()
  /** Thrown by all of them. */
  const shared = { status: 503 }
  const find = (id: number) => client.getQueryCache().find({ queryKey: [id] }) as AnyQuery

  function optionsOf(id: number) {
    return {
      queryKey: [id],
      async queryFn(context: QueryFunctionContext) {
        const { promise } = find(id)
        calls.set(promise, (calls.get(promise) ?? 0) + 1)
        if (id % 5 === 1) context.signal.throwIfAborted()
        if (id % 5 === 3) return new Promise<never>(() => {})
        if (id > 4) await new Promise(resolve => setTimeout(resolve, 120))
        if (world.isUp) return 'tea'
        throw shared
      },
      initialPageParam: 1,
      getNextPageParam: () => 2,
    }
  }

  function observe(id: number) {
    if (observers.has(id)) return
    const { initialPageParam, getNextPageParam, ...plain } = optionsOf(id)
    const observer = isInfinite(id)
      ? new InfiniteQueryObserver(client, { ...plain, initialPageParam, getNextPageParam })
      : new QueryObserver(client, plain)
    const stop = observer.subscribe(() => {})
    observers.set(id, { stop, refetch: () => observer.refetch().catch(() => {}) })
  }

  function unobserve(id: number) {
    observers.get(id)?.stop()
    observers.delete(id)
  }

  const acts: Record<string, (id: number) => void> = {
    observe,
    unobserve,
    fetch(id) {
      const { initialPageParam, getNextPageParam, ...plain } = optionsOf(id)
      const fetched = isInfinite(id)
        ? client.fetchInfiniteQuery({ ...plain, initialPageParam, getNextPageParam })
        : client.fetchQuery(plain)
      fetched.catch(() => {})
    },
    cancel: id => void client.cancelQueries({ queryKey: [id] }),
    remove: id => observers.has(id) || client.removeQueries({ queryKey: [id] }),
    refetch: id => observers.get(id)?.refetch(),
    reset: id => void client.resetQueries({ queryKey: [id] }),
    'try now': id => isFetching(find(id)) && restart(find(id)),
    'cancel by notice': id => isFetching(find(id)) && endWithLatestError(find(id)),
  }

  async function take(each: typeof step extends fc.Arbitrary<infer T> ? T : never) {
    if ('id' in each) acts[each.do]?.(each.id)
    if (each.do === 'focus') focusManager.setFocused(each.isOn)
    if (each.do === 'enable') world.isEnabled = each.isOn
    if (each.do === 'mend') world.isUp = each.isOn
    await advance(each.do === 'advance' ? each.ms : 0)
    for (const query of client.getQueryCache().getAll()) {
      const scope = operationOf(query)?.scope
      if (scope) scopes.add(scope)
    }
  }

  async function closePage() {
    focusManager.setFocused(true)
    for (const id of observers.keys()) unobserve(id)
    await advance(180_000)
  }

  return {
    budget,
    take,
    closePage,
    retriesSent: () => [...calls.values()].reduce((sum, count) => sum + count - 1, 0),
    stillWaiting: () => [...scopes].flatMap(({ waiting }) => [...waiting]),
    // Not the paused: TanStack 5.90 pauses a fetch that was taken back in its wait, and says so for ever.
    stillFetching: () =>
      client.getQueryCache().findAll({ fetchStatus: 'fetching' }) as readonly AnyQuery[],
  }
}

function isFetching(query: AnyQuery | undefined): query is AnyQuery {
  return !!query && query.state.fetchStatus !== 'idle'
}

describe.each([
  ['without a circuit breaker', false],
  ['with one', true],
])('whatever happens to ten queries, %s,', (_, hasBreaker) => {
  it('the budget stays within its bounds, lacks the retries that were sent and no other, and nothing is left', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 50 }),
        fc.nat(12),
        async (steps, capacity) => {
          const page = openPage(capacity, hasBreaker)
          for (const each of steps) {
            await page.take(each)
            expect(page.budget.available).toBeGreaterThanOrEqual(0)
            expect(page.budget.available).toBeLessThanOrEqual(capacity)
          }
          await page.closePage()
          expect(capacity - page.budget.available).toBe(page.retriesSent())
          expect(page.stillWaiting()).toEqual([])
          expect(page.stillFetching().filter(({ queryKey }) => queryKey[0] % 5 !== 3)).toEqual([])
        },
      ),
      { numRuns: 100 },
    )
  }, 60_000)
})
