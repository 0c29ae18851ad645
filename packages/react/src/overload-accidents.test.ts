import { CircuitBreaker, RetryBudget } from '@query-retry/core'
import {
  focusManager,
  InfiniteQueryObserver,
  onlineManager,
  QueryClient,
  QueryObserver,
} from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { restart } from './notice-actions.ts'
import { type AnyQuery, operationOf } from './operation.ts'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  advance,
  followScript,
  installFakeTime,
  type Script,
  startConversation,
  tea,
  unavailable,
} from './testing-support/conversation.ts'
import { evenDraws } from './testing-support/even-draws.ts'

installFakeTime()

const clock = { nowMs: () => performance.now() }
const fixedBudget = (capacity: number) =>
  new RetryBudget({ capacity, refillPerSecond: 0, depositPerSuccess: 0, clock })
const failing = () => Promise.reject({ status: 503 })
const boom = () => {
  throw new Error('metrics down')
}

/** The time of the test begins with the test: breakers and the conversation share it. */
const start = (options: RetryPresetOptions) =>
  startConversation({ clock: undefined as never, resumeSpreadMs: 500, ...options })

describe('a token of the budget is not given back twice', () => {
  it('where a query is cancelled in its turn after a pause, and then left', async () => {
    const budget = fixedBudget(10)
    const { client, stopReasons } = startConversation({
      budget: () => budget,
      resumeSpreadMs: 500,
    })
    for (let sentByOthers = 0; sentByOthers < 3; sentByOthers++) budget.tryWithdraw()
    const options = { queryKey: ['cart'], queryFn: failing }
    const stop = new QueryObserver(client, options).subscribe(() => {})
    await advance(100)
    expect(budget.available).toBe(6)
    focusManager.setFocused(false)
    await advance(5_000)
    focusManager.setFocused(true)
    await advance(100)
    client.cancelQueries()
    stop()
    await advance(5_000)
    expect([budget.available, stopReasons()]).toEqual([7, ['cancelled']])
  })

  it('where an infinite query, whose signal TanStack has read, is left in its turn', async () => {
    const budget = fixedBudget(10)
    const { client, stopReasons } = startConversation({
      budget: () => budget,
      resumeSpreadMs: 500,
    })
    for (let sentByOthers = 0; sentByOthers < 3; sentByOthers++) budget.tryWithdraw()
    const stop = new InfiniteQueryObserver(client, {
      queryKey: ['pages'],
      queryFn: failing,
      initialPageParam: 1,
      getNextPageParam: () => undefined,
    }).subscribe(() => {})
    await advance(100)
    focusManager.setFocused(false)
    await advance(5_000)
    focusManager.setFocused(true)
    await advance(100)
    stop()
    await advance(5_000)
    expect([budget.available, stopReasons()]).toEqual([7, ['cancelled']])
  })
})

describe('no retry is free', () => {
  it('where the page is left in the turn and somebody else asks on', async () => {
    const budget = fixedBudget(1)
    const conversation = startConversation({ budget: () => budget, resumeSpreadMs: 500 })
    const { queryFn, sentAtMs } = followScript([unavailable], () => conversation.clock.nowMs())
    const options = { queryKey: ['cart'], queryFn }
    const stop = new QueryObserver(conversation.client, options).subscribe(() => {})
    await advance(100)
    onlineManager.setOnline(false)
    await advance(10_000)
    onlineManager.setOnline(true)
    await advance(50)
    stop()
    conversation.client.fetchQuery(options).catch(() => {})
    await advance(60_000)
    expect(sentAtMs.length - 1).toBeLessThanOrEqual(1)
  })

  it.each([
    ['before its first failure', 50],
    ['during a wait', 300],
  ])('where another tab’s state is written over a running fetch %s', async (_, atMs) => {
    const { client, clock, stopReasons } = startConversation({ budget: () => fixedBudget(1) })
    const slow: Script = { fails: { status: 503 }, afterMs: 100 }
    const { queryFn, sentAtMs } = followScript([slow], () => clock.nowMs())
    client.prefetchQuery({ queryKey: ['cart'], queryFn })
    await advance(atMs)
    const query = client.getQueryCache().find({ queryKey: ['cart'] })
    query?.setState({ data: 'theirs', status: 'success', fetchStatus: 'idle' })
    await advance(60_000)
    expect([sentAtMs.length, stopReasons()]).toEqual([2, ['budget-exhausted']])
  })

  it('where `scopeOf` returns a promise: all share one budget', async () => {
    const onError = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { fetch } = startConversation({
      scopeOf: (async () => 'shop') as never,
      budget: () => fixedBudget(1),
    })
    const endings = Array.from({ length: 20 }, (_, id) => fetch([unavailable], [id]))
    await advance(60_000)
    expect(endings.reduce((sum, { sentAtMs }) => sum + sentAtMs.length - 1, 0)).toBe(1)
    expect(String(onError.mock.calls[0]?.[1])).toContain('What scopeOf returns must be a string')
  })
})

it('a retry that a persister answers is not charged, and no longer waits', async () => {
  const budget = fixedBudget(10)
  const { client, preset } = start({
    budget: () => budget,
    circuitBreaker: () => new CircuitBreaker({ minimumCalls: 1, clock }),
  })
  let stored: string | undefined
  const persister = preset.wrapPersister(
    (async (queryFn: (context: unknown) => unknown, context: unknown) =>
      stored ?? queryFn(context)) as never,
  )
  client.prefetchQuery({ queryKey: ['cart'], queryFn: failing, persister })
  await advance(100)
  stored = 'by another tab'
  await advance(20_000)
  const query = client.getQueryCache().find({ queryKey: ['cart'] }) as AnyQuery
  expect(query.state.data).toBe('by another tab')
  expect([budget.available, operationOf(query)?.scope.waiting.size]).toEqual([10, 0])
})

it('an attempt that timed out in a slow persister is not sent later', async () => {
  const { client, preset, eventTypes } = startConversation({ attemptTimeoutMs: 500 })
  let asked = 0
  const persister = preset.wrapPersister((async (
    queryFn: (context: unknown) => unknown,
    context: unknown,
  ) => {
    if (!asked++) await new Promise(resolve => setTimeout(resolve, 800))
    return queryFn(context)
  }) as never)
  const queryFn = vi.fn(async () => 'tea')
  client.prefetchQuery({ queryKey: ['cart'], persister, queryFn })
  await advance(20_000)
  expect(queryFn).toHaveBeenCalledOnce()
  expect(eventTypes().filter(type => type === 'retry-started')).toHaveLength(1)
})

describe('what budget and breaker throw is reported, and the query goes on without:', () => {
  const throwing = (part: RetryBudget | CircuitBreaker, name: string) =>
    Object.defineProperty(part, name, name.endsWith('Ms') ? { get: boom } : { value: boom })

  it.each<[string, object, Script[]]>([
    [
      'tryWithdraw',
      { budget: () => throwing(new RetryBudget(), 'tryWithdraw') },
      [unavailable, tea],
    ],
    ['recordSuccess', { budget: () => throwing(new RetryBudget(), 'recordSuccess') }, [tea]],
    ['subscribe', { circuitBreaker: () => throwing(new CircuitBreaker(), 'subscribe') }, [tea]],
    ['run', { circuitBreaker: () => throwing(new CircuitBreaker(), 'run') }, [tea]],
    [
      'nextProbeAtMs',
      { circuitBreaker: () => throwing(new CircuitBreaker(), 'nextProbeAtMs') },
      [unavailable, tea],
    ],
    ['a budget that is none, in production', { budget: () => ({}) }, [unavailable, tea]],
  ])('%s', async (name, options, scripts) => {
    if (name.includes('production')) vi.stubEnv('NODE_ENV', 'production')
    const onError = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { fetch, client } = startConversation(options as RetryPresetOptions)
    const ending = fetch(scripts)
    await advance(60_000)
    expect([ending.data, client.getQueryState(['scripted'])?.fetchStatus]).toEqual(['tea', 'idle'])
    expect(onError).toHaveBeenCalled()
  })
})

describe('the probes of a circuit', () => {
  it('go to the background while the query in view waits for what the server asked', async () => {
    const { client, fetch } = start({
      jitter: 'none',
      deadlineMs: 200_000,
      maxServerWaitMs: 200_000,
      circuitBreaker: () => new CircuitBreaker({ minimumCalls: 1, openMs: 5_000, clock }),
    })
    const queryFn = () => Promise.reject({ status: 503, headers: { 'retry-after': '100' } })
    new QueryObserver(client, { queryKey: ['cart'], queryFn }).subscribe(() => {})
    await advance(0)
    const background = fetch([tea], ['prefetch'])
    await advance(30_000)
    expect(background.data).toBe('tea')
  })

  it('are given again to the query that holds one and is asked anew: "try now" sends at once', async () => {
    const { client, fetch } = start({
      jitter: 'none',
      circuitBreaker: () => new CircuitBreaker({ minimumCalls: 1, clock }),
    })
    fetch([{ fails: { status: 500 } }], ['opens'])
    await advance(0)
    const { queryFn, sentAtMs } = followScript(['hang', tea])
    new QueryObserver(client, { queryKey: ['cart'], queryFn }).subscribe(() => {})
    await advance(10_000)
    expect(sentAtMs).toHaveLength(1)
    restart(client.getQueryCache().find({ queryKey: ['cart'] }) as AnyQuery)
    await advance(0)
    expect(sentAtMs).toHaveLength(2)
  })
})

describe('coming back', () => {
  const mostAtOnce = (sentAtMs: number[]) =>
    Math.max(...sentAtMs.map(atMs => sentAtMs.filter(other => other === atMs).length))

  it('late in the spread, 20 queries are spread over what is left of it', async () => {
    const { client, clock } = startConversation({ resumeSpreadMs: 500, random: evenDraws() })
    const sentAtMs: number[] = []
    client.prefetchQuery({ queryKey: ['local'], queryFn: failing, networkMode: 'always' })
    await advance(0)
    focusManager.setFocused(false)
    onlineManager.setOnline(false)
    for (let id = 0; id < 20; id++) {
      client.prefetchQuery({ queryKey: [id], queryFn: () => sentAtMs.push(clock.nowMs()) })
    }
    await advance(10_000)
    focusManager.setFocused(true)
    await advance(400)
    onlineManager.setOnline(true)
    await advance(2_000)
    expect(sentAtMs).toHaveLength(20)
    expect(mostAtOnce(sentAtMs)).toBeLessThan(5)
  })

  it('is over by the time of a first query ten minutes later: nothing holds it up', async () => {
    const { fetch } = startConversation({ resumeSpreadMs: 500 })
    onlineManager.setOnline(false)
    onlineManager.setOnline(true)
    await advance(600_000)
    expect(fetch([tea]).sentAtMs).toEqual([600_000])
  })

  it('does not hold up a query, left while it was paused, that is asked for again a minute later', async () => {
    const { client, clock } = startConversation({ resumeSpreadMs: 500 })
    client.setQueryData(['cart'], 'old', { updatedAt: 0 })
    const { queryFn, sentAtMs } = followScript([unavailable, tea], () => clock.nowMs())
    const observer = new QueryObserver(client, { queryKey: ['cart'], queryFn })
    const stop = observer.subscribe(() => {})
    await advance(100)
    focusManager.setFocused(false)
    await advance(5_000)
    stop()
    await advance(100)
    focusManager.setFocused(true)
    await advance(60_000)
    observer.subscribe(() => {})
    await advance(1_000)
    expect(sentAtMs).toEqual([0, 65_200])
  })

  it('spreads the cold start of a second client as well', async () => {
    const { fetch, preset, clock } = startConversation({
      resumeSpreadMs: 500,
      random: evenDraws(),
    })
    fetch([tea])
    await advance(10)
    const other = new QueryClient({ defaultOptions: preset.defaultOptions })
    other.mount()
    onlineManager.setOnline(false)
    const sentAtMs: number[] = []
    for (let id = 0; id < 20; id++) {
      other.prefetchQuery({ queryKey: [id], queryFn: () => sentAtMs.push(clock.nowMs()) })
    }
    await advance(1_000)
    onlineManager.setOnline(true)
    await advance(1_000)
    other.unmount()
    expect(mostAtOnce(sentAtMs)).toBeLessThan(3)
  })

  it('ends no query that would succeed where `random` throws', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    onlineManager.setOnline(false)
    const { fetch } = startConversation({ resumeSpreadMs: 500, random: boom })
    const ending = fetch([tea])
    await advance(100)
    onlineManager.setOnline(true)
    await advance(5_000)
    expect(ending.data).toBe('tea')
  })

  it('ends nobody unsent where `resumeSpreadMs` is longer than the deadline', async () => {
    const { fetch } = startConversation({ resumeSpreadMs: 60_000, random: () => 0.9 })
    const ending = fetch([unavailable, tea])
    await advance(100)
    onlineManager.setOnline(false)
    await advance(1_000)
    onlineManager.setOnline(true)
    await advance(120_000)
    expect([ending.sentAtMs.length, ending.data]).toEqual([2, 'tea'])
  })

  it('sends nothing where the connection is lost again in the turn', async () => {
    const { fetch } = startConversation({ resumeSpreadMs: 500 })
    const ending = fetch([unavailable, tea])
    await advance(100)
    onlineManager.setOnline(false)
    await advance(10_000)
    onlineManager.setOnline(true)
    await advance(50)
    onlineManager.setOnline(false)
    await advance(5_000)
    expect(ending.sentAtMs).toEqual([0])
    onlineManager.setOnline(true)
    await advance(5_000)
    expect(ending.data).toBe('tea')
  })
})
