import {
  CircuitBreaker,
  type CircuitBreakerOptions,
  CircuitOpenError,
  RetryBudget,
} from '@query-retry/core'
import { focusManager, onlineManager, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { readQueryNotice } from './notice-state.ts'
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

installFakeTime()

/**
 * A preset whose circuit opens with the second failure, for 5 s, and closes with one probe
 * that succeeds. Whoever waits for it comes back a second later.
 */
function startWithCircuit(
  options: RetryPresetOptions = {},
  breakerOptions: CircuitBreakerOptions = {},
) {
  const breakers: CircuitBreaker[] = []
  const conversation = startConversation({
    jitter: 'none',
    circuitBreaker() {
      const breaker = new CircuitBreaker({
        minimumCalls: 2,
        random: () => 1 - Number.EPSILON,
        clock: { nowMs: () => conversation.clock.nowMs() },
        ...breakerOptions,
      })
      breakers.push(breaker)
      return breaker
    },
    ...options,
  })
  const { client, clock, fetch } = conversation
  return {
    ...conversation,
    /** Opens the circuit at this moment, for 5 s. */
    async open() {
      for (let id = 0; id < 2; id++) fetch([{ fails: { status: 500 } }], ['opens', id])
      await advance(0)
    },
    state: () => breakers[0]?.state,
    /** A query that somebody looks at. */
    observe(scripts: Script[], queryKey: readonly unknown[]) {
      const { queryFn, sentAtMs } = followScript(scripts, () => clock.nowMs())
      const stop = new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {})
      return { sentAtMs, stop, query: () => client.getQueryCache().find({ queryKey }) }
    },
  }
}

describe('an open circuit', () => {
  it('keeps what is asked meanwhile from being sent until its probe is due, and then spreads it', async () => {
    const { fetch, open } = startWithCircuit({ jitter: 'full' })
    await open()
    await advance(1_000)
    const ending = fetch([tea])
    await advance(20_000)
    // Due after 4,000 ms; half of a spread that is as long lies on top.
    expect(ending).toMatchObject({ sentAtMs: [7_000], data: 'tea' })
  })

  it('costs no retry, however often it turns a query away', async () => {
    const { fetch, open, events } = startWithCircuit(
      { maxRetries: 1, deadlineMs: 120_000 },
      { openMs: 20_000, probeTimeoutMs: 30_000 },
    )
    await open()
    const hanging = fetch(['hang'], ['takes the probe'])
    const ending = fetch([unavailable, tea], ['waits'])
    await advance(20_999)
    expect([hanging.sentAtMs.length, ending.sentAtMs]).toEqual([0, []])
    await advance(80_000)
    const turnedAway = events.filter(
      ({ type, queryHash, attempt }) =>
        type === 'retry-scheduled' && queryHash === '["waits"]' && attempt === 1,
    )
    expect(turnedAway.length).toBeGreaterThan(20)
    expect(ending.sentAtMs.length).toBeGreaterThan(0)
  })

  it('ends a query at once whose deadline is before the probe: with the refusal, where nothing was sent', async () => {
    const { fetch, open, stopReasons, events } = startWithCircuit({ deadlineMs: 3_000 })
    await open()
    const ending = fetch([tea])
    await advance(60_000)
    expect(ending).toMatchObject({
      sentAtMs: [],
      endedAtMs: 0,
      error: expect.any(CircuitOpenError),
    })
    expect(ending.error).toMatchObject({ nextProbeAtMs: 5_000 })
    expect(stopReasons().at(-1)).toBe('circuit-open')
    expect(events.at(-1)).toMatchObject({ attempt: 0, reason: 'circuit-open' })
  })

  it('ends a query whose own failure opened it for too long with that failure, untouched', async () => {
    const { fetch, stopReasons } = startWithCircuit({ deadlineMs: 3_000 }, { minimumCalls: 1 })
    const own = { status: 503 }
    const ending = fetch([{ fails: own }])
    await advance(60_000)
    expect(ending).toMatchObject({ sentAtMs: [0], endedAtMs: 0 })
    expect(ending.error).toBe(own)
    expect(stopReasons()).toEqual(['circuit-open'])
  })

  it('gives a query that failed before and is turned away then its own failure, untouched', async () => {
    const { fetch, stopReasons } = startWithCircuit({ deadlineMs: 5_000 })
    const own = { status: 503 }
    const ending = fetch([{ fails: own }])
    await advance(500)
    fetch([{ fails: { status: 500 } }], ['opens'])
    await advance(60_000)
    expect(ending).toMatchObject({ sentAtMs: [0], endedAtMs: 1_000 })
    expect(ending.error).toBe(own)
    expect(stopReasons().at(-1)).toBe('circuit-open')
  })

  it('makes a retry that was granted wait for the probe, paid for once', async () => {
    const budget = new RetryBudget({ capacity: 10, refillPerSecond: 0, depositPerSuccess: 0 })
    const { fetch } = startWithCircuit({ budget: () => budget })
    const ending = fetch([unavailable, tea])
    await advance(500)
    fetch([{ fails: { status: 500 } }], ['opens'])
    await advance(30_000)
    // Granted for 1,000 ms, turned away then; due at 5,500, and one draw on top.
    expect(ending).toMatchObject({ sentAtMs: [0, 6_500], data: 'tea' })
    expect(budget.available).toBe(9)
  })

  it('gives the budget back what is never sent', async () => {
    const budget = new RetryBudget({ capacity: 10, refillPerSecond: 0, depositPerSuccess: 0 })
    const { client, fetch, open } = startWithCircuit({ budget: () => budget })
    const ending = fetch([unavailable, tea])
    await advance(500)
    await open()
    await advance(2_000)
    expect(budget.available).toBe(9)
    client.cancelQueries()
    await advance(30_000)
    expect([ending.sentAtMs, budget.available]).toEqual([[0], 10])
  })

  it('does not count what a deadline kept from being sent', async () => {
    const { clock, fetch, state } = startWithCircuit({}, { minimumCalls: 3 })
    const endings = [0, 1].map(id => fetch([unavailable], ['down', id]))
    await advance(100)
    clock.freezeFor(40_000)
    await advance(10_000)
    expect(endings.map(({ sentAtMs }) => sentAtMs)).toEqual([[0], [0]])
    expect(state()).toBe('closed')
  })

  it('is not asked where the preset is switched off: false is TanStack without it', async () => {
    let isOn = true
    const { fetch, open } = startWithCircuit({ enabled: () => isOn })
    await open()
    isOn = false
    expect(fetch([tea]).sentAtMs).toEqual([0])
  })

  it('lets a query with `retry: false` end at once', async () => {
    const { client, open } = startWithCircuit()
    await open()
    const queryFn = vi.fn()
    const fetched = client.fetchQuery({ queryKey: ['once'], queryFn, retry: false })
    await expect(fetched).rejects.toThrow(CircuitOpenError)
    expect(queryFn).not.toHaveBeenCalled()
  })

  it('holds an infinite query back as well', async () => {
    const { client, clock, open } = startWithCircuit()
    await open()
    const { queryFn, sentAtMs } = followScript([tea], () => clock.nowMs())
    const fetched = client.fetchInfiniteQuery({
      queryKey: ['pages'],
      queryFn,
      initialPageParam: 1,
      getNextPageParam: () => undefined,
    })
    await advance(20_000)
    expect(await fetched).toMatchObject({ pages: ['tea'] })
    expect(sentAtMs).toEqual([6_000])
  })

  it('does not keep a persister from restoring what it has, which counts as no call', async () => {
    const budget = new RetryBudget({ capacity: 10, refillPerSecond: 0, depositPerSuccess: 1 })
    budget.tryWithdraw()
    const { client, open, preset, state } = startWithCircuit({ budget: () => budget })
    await open()
    await advance(10_000)
    const queryFn = vi.fn()
    const persister = preset.wrapPersister((() => Promise.resolve('kept')) as never)
    expect(await client.fetchQuery({ queryKey: ['kept'], queryFn, persister })).toBe('kept')
    expect([queryFn.mock.calls.length, state(), budget.available]).toEqual([0, 'open', 9])
  })

  it('tells of its changes, with its scope', async () => {
    const { events, fetch, open } = startWithCircuit(
      { scopeOf: () => 'carts' },
      { halfOpenProbes: 2 },
    )
    await open()
    fetch([tea])
    await advance(20_000)
    expect(events.filter(({ type }) => type === 'breaker-changed')).toEqual([
      { type: 'breaker-changed', scope: 'carts', state: 'open', previousState: 'closed' },
      { type: 'breaker-changed', scope: 'carts', state: 'half-open', previousState: 'open' },
    ])
  })

  it('is told of as a wait of the first attempt, which is no retry once it is sent', async () => {
    const { events, fetch, open } = startWithCircuit()
    await open()
    fetch([tea], ['waits'])
    await advance(20_000)
    const told = events.filter(({ queryHash }) => queryHash === '["waits"]')
    expect(told.map(({ type, attempt }) => [type, attempt])).toEqual([
      ['retry-scheduled', 1],
      ['recovered', 1],
    ])
  })

  it('inside the query function is a failure like any other, which uses up retries', async () => {
    const { fetch, stopReasons } = startConversation()
    const ending = fetch([{ fails: new CircuitOpenError(5_000, 0) }])
    await advance(60_000)
    expect([ending.sentAtMs.length, stopReasons()]).toEqual([5, ['retries-exhausted']])
  })

  it('is each preset’s own', async () => {
    const one = startWithCircuit()
    const other = startWithCircuit()
    await one.open()
    expect([one.state(), other.fetch([tea]).sentAtMs]).toEqual(['open', [0]])
  })

  it('is each scope’s own', async () => {
    const { fetch, open } = startWithCircuit({
      scopeOf: ({ queryKey = [] }) => String(queryKey[0] === 'other'),
    })
    await open()
    expect(fetch([tea], ['opens', 3]).sentAtMs).toEqual([])
    expect(fetch([tea], ['other']).sentAtMs).toEqual([0])
  })
})

describe('while a query waits for a probe', () => {
  it('the notice says so, with the seconds, and no failure of the server is made up', async () => {
    const { observe, open } = startWithCircuit()
    await open()
    const { query } = observe([tea], ['cart'])
    await advance(1)
    expect(query() && readQueryNotice(query() as never)).toMatchObject({
      phase: 'waiting',
      failureCount: 0,
      retryNumber: 0,
      reason: 'circuit-open',
      secondsLeft: 6,
      failure: { kind: 'refused', effect: 'none' },
    })
  })

  it('hiding the tab and losing the connection are looked at again before it is sent', async () => {
    const { observe, open } = startWithCircuit()
    await open()
    const { sentAtMs } = observe([tea], ['cart'])
    await advance(5_000)
    focusManager.setFocused(false)
    await advance(20_000)
    focusManager.setFocused(true)
    onlineManager.setOnline(false)
    await advance(20_000)
    expect(sentAtMs).toEqual([])
    onlineManager.setOnline(true)
    await advance(1)
    expect(sentAtMs).toEqual([45_000])
  })

  it('leaving the page ends it: nothing is sent', async () => {
    const { observe, open, state } = startWithCircuit()
    await open()
    const { sentAtMs, stop } = observe([tea], ['cart'])
    await advance(5_000)
    stop()
    await advance(60_000)
    expect([sentAtMs, state()]).toEqual([[], 'open'])
  })

  it('its attempt timeout does not run: it starts with the attempt', async () => {
    const { fetch, open } = startWithCircuit({ attemptTimeoutMs: 3_000 })
    await open()
    const ending = fetch([{ answers: 'tea', afterMs: 2_900 }])
    await advance(30_000)
    expect(ending).toMatchObject({ sentAtMs: [6_000], data: 'tea' })
  })
})

describe('a half-open circuit', () => {
  it('sends one probe for 20 queries that come back together', async () => {
    const { fetch, open } = startWithCircuit({ jitter: 'none' })
    await open()
    const endings = Array.from({ length: 20 }, (_, id) => fetch(['hang'], ['waits', id]))
    await advance(10_000)
    expect(endings.filter(({ sentAtMs }) => sentAtMs.length)).toHaveLength(1)
  })

  it('gives the probe to a query in view, before one in the background that asked earlier', async () => {
    const { fetch, observe, open } = startWithCircuit()
    await open()
    const background = fetch(['hang'], ['prefetch'])
    const { sentAtMs } = observe(['hang'], ['cart'])
    await advance(10_000)
    expect([sentAtMs, background.sentAtMs]).toEqual([[6_000], []])
  })

  it('gives it to the background where nobody is waiting in view', async () => {
    const { fetch, observe, open } = startWithCircuit()
    await open()
    const background = fetch([tea], ['prefetch'])
    const { stop } = observe([tea], ['cart'])
    await advance(1_000)
    stop()
    await advance(10_000)
    expect(background.data).toBe('tea')
  })

  it('frees the slot of a probe that is taken back', async () => {
    const { client, fetch, open } = startWithCircuit()
    await open()
    fetch(['hang'], ['first'])
    await advance(10_000)
    client.cancelQueries({ queryKey: ['first'] })
    await advance(0)
    expect(fetch([tea], ['second']).sentAtMs).toEqual([10_000])
  })

  it('closes with the probe that succeeds, and what was held back is sent', async () => {
    const { fetch, open, state } = startWithCircuit({ jitter: 'full' })
    await open()
    const endings = Array.from({ length: 20 }, (_, id) => fetch([tea], ['waits', id]))
    await advance(30_000)
    expect(state()).toBe('closed')
    expect(endings.every(({ data, sentAtMs }) => data === 'tea' && sentAtMs.length === 1)).toBe(
      true,
    )
  })
})

describe('a closed circuit', () => {
  it('stays closed over ten 400s', async () => {
    const { fetch, state } = startWithCircuit()
    for (let id = 0; id < 10; id++) fetch([{ fails: { status: 400 } }], ['wrong', id])
    await advance(1)
    expect(state()).toBe('closed')
  })

  it('counts neither fetches that are taken back nor what they end with later', async () => {
    const { client, fetch, state } = startWithCircuit()
    for (let id = 0; id < 10; id++)
      fetch([{ fails: { status: 503 }, afterMs: 1_000 }], ['slow', id])
    await advance(500)
    client.cancelQueries()
    await advance(60_000)
    expect(state()).toBe('closed')
  })

  it('counts attempts that end in their timeout', async () => {
    const { fetch, state } = startWithCircuit({ attemptTimeoutMs: 1_000, maxRetries: 0 })
    for (let id = 0; id < 2; id++) fetch(['hang'], ['slow', id])
    await advance(1_000)
    expect(state()).toBe('open')
  })
})
