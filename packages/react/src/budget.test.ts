import { RetryBudget } from '@query-retry/core'
import { focusManager, onlineManager, type QueryFunctionContext } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  advance,
  installFakeTime,
  type Script,
  startConversation,
  unavailable,
} from './testing-support/conversation.ts'

installFakeTime()

/** A preset whose budget holds `capacity` retries; nothing comes back unless told so. */
function startBudgeted(capacity: number, options: RetryPresetOptions = {}, more: object = {}) {
  const budgets: RetryBudget[] = []
  const conversation = startConversation({
    budget() {
      const budget = new RetryBudget({
        capacity,
        refillPerSecond: 0,
        depositPerSuccess: 0,
        ...more,
        // The conversation's own clock is not there yet.
        clock: { nowMs: () => performance.now() },
      })
      budgets.push(budget)
      return budget
    },
    ...options,
  })
  /** Fetches queries that fail for ever, and counts what is sent for them beyond the first attempts. */
  const failForEver = (count: number, name = 'down') => {
    const endings = Array.from({ length: count }, (_, id) =>
      conversation.fetch([unavailable], [name, id]),
    )
    return {
      endings,
      retriesSent: () => endings.reduce((sum, { sentAtMs }) => sum + sentAtMs.length - 1, 0),
    }
  }
  return { ...conversation, failForEver, budgets, available: () => budgets[0]?.available }
}

describe('the retry budget', () => {
  it('of 10 lets 100 queries that fail for ever cause 10 retries in all', async () => {
    const { failForEver, stopReasons } = startBudgeted(10)
    const { endings, retriesSent } = failForEver(100)
    await advance(60_000)
    expect(retriesSent()).toBe(10)
    expect(endings.every(({ error }) => (error as { status: number }).status === 503)).toBe(true)
    expect(stopReasons()).toEqual(Array(100).fill('budget-exhausted'))
  })

  it('of 10 that refills by 1 a second lets 300 queries over 30 s retry 10 times, and once more each second', async () => {
    const { fetch } = startBudgeted(10, {}, { refillPerSecond: 1 })
    const endings = []
    for (let id = 0; id < 300; id++) {
      endings.push(fetch([unavailable], ['down', id]))
      await advance(100)
    }
    await advance(60_000)
    const retries = endings.reduce((sum, { sentAtMs }) => sum + sentAtMs.length - 1, 0)
    expect(retries).toBeGreaterThanOrEqual(39)
    expect(retries).toBeLessThanOrEqual(41)
  })

  it('is on by default: 60 saved up, shared by 100 queries that would retry 400 times', async () => {
    const { fetch, stopReasons } = startConversation()
    const endings = Array.from({ length: 100 }, (_, id) => fetch([unavailable], ['down', id]))
    await advance(60_000)
    const sent = endings.reduce((sum, { sentAtMs }) => sum + sentAtMs.length, 0)
    expect(sent - 100).toBeGreaterThanOrEqual(60)
    expect(sent - 100).toBeLessThanOrEqual(60 + 10)
    expect(stopReasons()).toContain('budget-exhausted')
  })

  it('false bounds nothing: 100 queries retry 400 times', async () => {
    const { fetch } = startConversation({ budget: false })
    const endings = Array.from({ length: 100 }, (_, id) => fetch([unavailable], ['down', id]))
    await advance(60_000)
    expect(endings.reduce((sum, { sentAtMs }) => sum + sentAtMs.length, 0)).toBe(500)
  })

  it('stops at once where it is exhausted, and events say for which scope', async () => {
    const { fetch, events } = startBudgeted(1, { scopeOf: () => 'carts' })
    const ending = fetch([unavailable], ['cart'])
    await advance(60_000)
    expect(ending).toMatchObject({ sentAtMs: [0, 600], endedAtMs: 600, error: { status: 503 } })
    const moment = { queryHash: '["cart"]', attempt: 2, elapsedMs: 600, reason: 'http-503' }
    expect(events.slice(-3)).toEqual([
      { type: 'attempt-failed', ...moment },
      { type: 'budget-exhausted', ...moment, scope: 'carts' },
      { type: 'gave-up', ...moment, stopReason: 'budget-exhausted', optionError: undefined },
    ])
  })

  it('gets a tenth of a retry back with each success, whether retried or not', async () => {
    const { fetch, available } = startBudgeted(10, {}, { depositPerSuccess: 0.1 })
    fetch([unavailable], ['down'])
    await advance(60_000)
    expect(available()).toBeCloseTo(6)
    for (let id = 0; id < 10; id++) fetch([{ answers: 'tea' }], ['up', id])
    await advance(1)
    expect(available()).toBeCloseTo(7)
    fetch([unavailable, { answers: 'tea' }], ['again'])
    await advance(60_000)
    expect(available()).toBeCloseTo(6.1)
  })

  it('is not charged by `retryDelay` alone', async () => {
    const { available, failForEver, preset } = startBudgeted(10)
    failForEver(1)
    const error = { status: 503 }
    for (let ask = 0; ask < 5; ask++) preset.queries.retryDelay(0, error)
    await advance(0)
    expect(available()).toBe(9)
  })

  it('is not charged for failures that are not retried', async () => {
    const { available, fetch } = startBudgeted(10)
    fetch([{ fails: { status: 404 } }], ['missing'])
    fetch([{ fails: { status: 503, headers: { 'retry-after': '3600' } } }], ['long'])
    await advance(60_000)
    expect(available()).toBe(10)
  })

  it('is each preset’s own: one that is exhausted leaves another alone', async () => {
    const exhausted = startBudgeted(0)
    const other = startBudgeted(4)
    const down = exhausted.fetch([unavailable])
    const going = other.fetch([unavailable])
    await advance(60_000)
    expect([down.sentAtMs.length, going.sentAtMs.length]).toEqual([1, 5])
  })
})

/** Queries whose function looks at its signal, which decides when TanStack gives up an unmounted one. */
const readsSignal = ({ signal }: QueryFunctionContext) => {
  signal.throwIfAborted()
  return Promise.reject({ status: 503 })
}

describe('a retry that was granted and is never sent costs nothing:', () => {
  it.each([
    ['its query is unmounted', () => Promise.reject({ status: 503 })],
    ['its query, which reads `signal`, is unmounted', readsSignal],
  ])('%s', async (_, queryFn) => {
    const { available, client } = startBudgeted(10)
    const { QueryObserver } = await import('@tanstack/react-query')
    const stops = Array.from({ length: 10 }, (_, id) =>
      new QueryObserver(client, { queryKey: ['down', id], queryFn }).subscribe(() => {}),
    )
    await advance(100)
    expect(available()).toBe(0)
    for (const stop of stops) stop()
    await advance(60_000)
    expect(available()).toBe(10)
  })

  it('its query is cancelled', async () => {
    const { available, client, failForEver } = startBudgeted(10)
    const { retriesSent } = failForEver(10)
    await advance(100)
    expect(available()).toBe(0)
    client.cancelQueries()
    await advance(60_000)
    expect([available(), retriesSent()]).toEqual([10, 0])
  })

  it('its query is removed', async () => {
    const { available, client, failForEver } = startBudgeted(10)
    failForEver(10)
    await advance(100)
    client.clear()
    await advance(60_000)
    expect(available()).toBe(10)
  })

  it('the machine sleeps past its deadline', async () => {
    const { available, clock, failForEver } = startBudgeted(10)
    const { retriesSent } = failForEver(10)
    await advance(100)
    clock.freezeFor(40_000)
    await advance(60_000)
    expect([available(), retriesSent()]).toEqual([10, 0])
  })

  it('and one that is paused keeps what it has, until it is sent or ends', async () => {
    const { available, failForEver } = startBudgeted(10)
    const { retriesSent } = failForEver(2)
    await advance(100)
    focusManager.setFocused(false)
    await advance(60_000)
    expect([available(), retriesSent()]).toEqual([8, 0])
    focusManager.setFocused(true)
    await advance(1)
    expect(retriesSent()).toBe(2)
  })
})

describe('a failure while the browser is offline', () => {
  /** Fails with the network, answers with it. */
  const scripts: Script[] = [
    { fails: new TypeError('Failed to fetch'), afterMs: 100 },
    { fails: { status: 503 } },
  ]

  it('uses up no retry and nothing of the budget', async () => {
    const { available, fetch, events } = startBudgeted(10)
    const ending = fetch(scripts)
    await advance(50)
    onlineManager.setOnline(false)
    await advance(60_000)
    expect([ending.sentAtMs, available()]).toEqual([[0], 10])
    onlineManager.setOnline(true)
    await advance(60_000)
    // All four retries after it, the first from the first window again.
    expect(ending.sentAtMs).toEqual([0, 60_050, 60_650, 61_750, 63_850, 67_950])
    expect(available()).toBe(6)
    expect(events.filter(({ type }) => type === 'attempt-failed')).toHaveLength(6)
  })

  it('counts under `networkMode: "always"`, where nothing waits for the network', async () => {
    const { available, client, clock } = startBudgeted(10)
    const sentAtMs: number[] = []
    client
      .fetchQuery({
        queryKey: ['local'],
        networkMode: 'always',
        queryFn: () => {
          sentAtMs.push(clock.nowMs())
          return Promise.reject(new TypeError('Failed to fetch'))
        },
      })
      .catch(() => {})
    onlineManager.setOnline(false)
    await advance(60_000)
    expect([sentAtMs.length, available()]).toEqual([5, 6])
  })
})

describe('scopes', () => {
  const byKey = ({ queryKey = [] }: { queryKey?: readonly unknown[] }) => String(queryKey[0])

  it('have a budget each, made when they are first met: one that is exhausted leaves the other alone', async () => {
    const { budgets, failForEver } = startBudgeted(4, { scopeOf: byKey })
    const carts = failForEver(20, 'cart')
    const orders = failForEver(1, 'order')
    await advance(60_000)
    expect([carts.retriesSent(), orders.retriesSent(), budgets.length]).toEqual([4, 4, 2])
  })

  it('are chosen by `meta` as well', async () => {
    const names: string[] = []
    const { client } = startConversation({
      scopeOf: ({ meta }) => String(meta?.service),
      budget: name => {
        names.push(name)
        return new RetryBudget()
      },
    })
    const queryFn = () => 'tea'
    await client.fetchQuery({ queryKey: ['a'], queryFn, meta: { service: 'tea' } })
    await client.fetchQuery({ queryKey: ['b'], queryFn, meta: { service: 'tea' } })
    expect(names).toEqual(['tea'])
  })

  it.each([
    ['scopeOf', { scopeOf: () => thrower() }],
    ['budget', { budget: () => thrower() }],
    ['circuitBreaker', { circuitBreaker: () => thrower() }],
  ])('report what `%s` throws, and the query goes on without', async (_, options) => {
    const onError = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { fetch } = startConversation(options)
    const ending = fetch([unavailable, { answers: 'tea' }])
    await advance(60_000)
    expect(ending.data).toBe('tea')
    expect(onError).toHaveBeenCalledWith(expect.any(String), broken)
  })
})

const broken = new Error('broken')
function thrower(): never {
  throw broken
}

describe('what the factories return', () => {
  it('may be nothing for one scope: false is no budget, undefined no breaker', async () => {
    const { fetch } = startConversation({
      budget: () => false,
      circuitBreaker: () => undefined,
    })
    const endings = Array.from({ length: 100 }, (_, id) => fetch([unavailable], ['down', id]))
    await advance(60_000)
    expect(endings.reduce((sum, { sentAtMs }) => sum + sentAtMs.length, 0)).toBe(500)
  })

  it.each([
    ['budget', 'a RetryBudget', { budget: () => ({}) as never }],
    ['circuitBreaker', 'a CircuitBreaker', { circuitBreaker: () => 5 as never }],
  ])(
    'is checked in development, and left out where it is wrong: %s',
    async (option, accepted, options) => {
      const onError = vi.spyOn(console, 'error').mockImplementation(() => {})
      const { fetch } = startConversation(options)
      const ending = fetch([unavailable, { answers: 'tea' }])
      await advance(60_000)
      expect(ending.data).toBe('tea')
      expect(String(onError.mock.calls[0]?.[1])).toMatch(
        `RetryOptionError: What ${option} returns must be ${accepted}, but is `,
      )
    },
  )
})
