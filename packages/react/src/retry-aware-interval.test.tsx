import { CircuitOpenError, DeadlineExceededError, type Random } from '@query-retry/core'
import { CancelledError, QueryClient, type QueryState, useQuery } from '@tanstack/react-query'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { RetryOptionError } from './index.ts'
import { endWithLatestError } from './notice-actions.ts'
import type { QueryOption } from './query-option.ts'
import { type RetryAwareIntervalOptions, retryAwareInterval } from './retry-aware-interval.ts'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  followScript,
  installFakeTime,
  type Script,
  startConversation,
  tea,
  unavailable,
} from './testing-support/conversation.ts'
import { advanceRendered, renderHookWithClient } from './testing-support/render-with-client.tsx'

installFakeTime()

const LONGEST_TIMER_MS = 2 ** 31 - 1
const HOUR_MS = 3_600_000
const half = { random: () => 0.5 }
const gone: Script = { fails: { status: 404 } }

/** A query in a cache of its own, moved by hand as TanStack moves it. */
function queryByHand() {
  const client = new QueryClient()
  const query = client.getQueryCache().build(client, { queryKey: ['stock'] })
  const set = (state: Partial<QueryState<unknown, unknown>>) =>
    query.setState(state as Partial<QueryState<unknown, Error>>)
  return {
    query,
    set,
    fails(error: unknown = { status: 503 }, times = 1) {
      for (let time = 0; time < times; time++) {
        const errorUpdateCount = query.state.errorUpdateCount + 1
        const errorUpdatedAt = Date.now()
        set({ status: 'error', error, errorUpdateCount, errorUpdatedAt, fetchStatus: 'idle' })
      }
    },
    succeeds() {
      query.setData('tea', { manual: false, updatedAt: Date.now() })
    },
    /** A fetch starts: without data TanStack forgets the error. */
    starts() {
      const { data } = query.state
      set({
        fetchStatus: 'fetching',
        ...(data === undefined && { status: 'pending', error: null }),
      })
    },
  }
}

/** The interval after each of so many failed fetches in a row. */
function afterFailures(count: number, interval: QueryOption<number | false>, error?: unknown) {
  const { query, fails } = queryByHand()
  return Array.from({ length: count }, () => {
    fails(error)
    return interval(query)
  })
}

describe('retryAwareInterval', () => {
  it('is `ms` for a query that is new, loading, healthy or reset', () => {
    const { query, starts, succeeds, fails } = queryByHand()
    const interval = retryAwareInterval(5_000, half)
    expect(interval(query)).toBe(5_000)
    starts()
    expect(interval(query)).toBe(5_000)
    succeeds()
    expect(interval(query)).toBe(5_000)
    fails()
    expect(interval(query)).not.toBe(5_000)
    query.reset()
    expect(interval(query)).toBe(5_000)
  })

  it.each<[string, RetryAwareIntervalOptions, (number | false)[]]>([
    ['lowest draws', { random: () => 0 }, [5_000, 10_000, 20_000, 40_000, 80_000, 150_000]],
    ['middle draws', half, [7_500, 15_000, 30_000, 60_000, 120_000, 225_000]],
    [
      'highest draws',
      { random: () => 0.999999 },
      [10_000, 20_000, 40_000, 80_000, 160_000, 300_000],
    ],
    ['a cap', { random: () => 0.999999, capMs: 30_000 }, [10_000, 20_000, 30_000, 30_000]],
    ['a cap of `ms`', { random: () => 0.999999, capMs: 5_000 }, [5_000, 5_000]],
    ['a factor', { random: () => 0.999999, factor: 3 }, [15_000, 45_000, 135_000, 300_000]],
    ['a random that is broken', { random: () => NaN }, [5_000, 10_000, 20_000]],
  ])('after failed fetches, with %s', (_, options, expected) => {
    expect(afterFailures(expected.length, retryAwareInterval(5_000, options))).toEqual(expected)
  })

  it.each([
    { ms: 1_000, longestMs: 300_000 },
    { ms: 150_000, longestMs: 300_000 },
    { ms: 600_000, longestMs: 1_200_000 },
    { ms: LONGEST_TIMER_MS, longestMs: LONGEST_TIMER_MS },
  ])('of $ms ms grows to $longestMs ms by default', ({ ms, longestMs }) => {
    const interval = retryAwareInterval(ms, { random: () => 1 - 2 ** -53 })
    expect(afterFailures(40, interval).at(-1)).toBe(longestMs)
  })

  it('starts over after a success, also one that nobody saw or that changed no time', () => {
    const { query, fails, succeeds } = queryByHand()
    const interval = retryAwareInterval(5_000, half)
    fails()
    fails()
    expect(interval(query)).toBe(15_000)
    succeeds()
    expect(interval(query)).toBe(5_000)
    fails()
    expect(interval(query)).toBe(7_500)
    succeeds()
    expect(interval(query)).toBe(5_000)
    fails()
    expect(interval(query)).toBe(7_500)
    fails()
    expect(interval(query)).toBe(15_000)
    vi.advanceTimersByTime(1)
    succeeds()
    fails()
    expect(interval(query)).toBe(7_500)
  })

  it('starts over after a reset, with what failed since', () => {
    const { query, fails } = queryByHand()
    const interval = retryAwareInterval(5_000, half)
    fails({ status: 404 })
    expect(interval(query)).toBe(false)
    query.reset()
    vi.advanceTimersByTime(1)
    fails()
    expect(interval(query)).toBe(7_500)
  })

  it('counts failures that nobody saw: all of a query that never succeeded, else at least one', () => {
    const never = queryByHand()
    never.fails(undefined, 3)
    expect(retryAwareInterval(5_000, half)(never.query)).toBe(30_000)
    never.fails(undefined, 2)
    expect(retryAwareInterval(5_000, half)(never.query)).toBe(120_000)
    const once = queryByHand()
    once.succeeds()
    once.fails(undefined, 3)
    expect(retryAwareInterval(5_000, half)(once.query)).toBe(7_500)
  })

  it('slows a failing query with cached data as one without', () => {
    const { query, fails, succeeds } = queryByHand()
    const interval = retryAwareInterval(5_000, half)
    succeeds()
    for (const expected of [7_500, 15_000, 30_000]) {
      fails()
      expect(interval(query)).toBe(expected)
    }
  })

  it.each<[string, number, string, number, number | false]>([
    ['503, asked for 60 s, lowest draw', 503, '60', 0, 60_000],
    ['503, asked for 60 s, middle draw', 503, '60', 0.5, 90_000],
    ['429, asked for 60 s, lowest draw', 429, '60', 0, 65_000],
    ['429, asked for 60 s, middle draw', 429, '60', 0.5, 67_500],
    ['503, asked for 1 s, lowest draw', 503, '1', 0, 5_000],
    ['503, asked for an hour, above the cap', 503, '3600', 0, HOUR_MS],
    ['503, asked for 20 days', 503, '1728000', 0.5, LONGEST_TIMER_MS],
    ['503, asked for longer than a timer waits', 503, '2147484', 0.5, false],
  ])('never shortens the wait that a server asked for: %s', (_, status, wait, draw, expected) => {
    const interval = retryAwareInterval(5_000, { random: () => draw })
    const error = { status, headers: { 'retry-after': wait } }
    expect(afterFailures(1, interval, error)).toEqual([expected])
  })

  it.each<[string, unknown]>([
    ['401', { status: 401 }],
    ['403', { status: 403 }],
    ['404', { status: 404 }],
    ['a server that says no', { status: 503, headers: { 'x-should-retry': 'false' } }],
  ])('stops at a terminal error (%s) until a fetch succeeds', (_, error) => {
    const { query, fails, starts, succeeds } = queryByHand()
    const interval = retryAwareInterval(5_000, half)
    fails(error)
    expect(interval(query)).toBe(false)
    starts()
    expect(interval(query)).toBe(false)
    succeeds()
    expect(interval(query)).toBe(5_000)
  })

  it('goes on after a terminal error where the next fetch fails with another', () => {
    const { query, fails } = queryByHand()
    const interval = retryAwareInterval(5_000, half)
    fails({ status: 404 })
    expect(interval(query)).toBe(false)
    fails()
    expect(interval(query)).toBe(15_000)
  })

  it.each([
    ['taken back by TanStack', new CancelledError()],
    ['aborted', new DOMException('aborted', 'AbortError')],
    ['refused by an open circuit', new CircuitOpenError(1_000, 0)],
    ['refused since its deadline had passed', new DeadlineExceededError(1_000, 2_000, undefined)],
  ])('goes on after a fetch that was %s', (_, error) => {
    expect(afterFailures(1, retryAwareInterval(5_000, half), error)).toEqual([7_500])
  })

  it('draws once per failed fetch, however often, when and by whom it is asked', () => {
    const random = vi.fn(() => 0.1 + random.mock.calls.length / 10)
    const { query, fails, starts } = queryByHand()
    const ask = () => retryAwareInterval(5_000, { random })(query)
    fails({ status: 503, headers: { 'retry-after': new Date(Date.now() + 60_000).toUTCString() } })
    const first = ask()
    vi.advanceTimersByTime(2_500)
    expect([ask(), ask(), ask()]).toEqual([first, first, first])
    starts()
    expect(ask()).toBe(first)
    expect(random).toHaveBeenCalledTimes(1)
    fails()
    expect([ask(), ask()]).toEqual([18_005, 18_005].map(() => ask()))
    expect(random).toHaveBeenCalledTimes(2)
  })

  it('is `ms` for who comes while a query that failed is fetched again, and learns when that is over', () => {
    const { query, fails, starts, set } = queryByHand()
    const interval = retryAwareInterval(5_000, half)
    fails()
    const failed = query.state
    starts()
    expect(interval(query)).toBe(5_000)
    // Cancelled, TanStack gives it its old state back.
    set(failed)
    expect(interval(query)).toBe(7_500)
  })

  it('draws the middle where random throws, and says so', () => {
    const onConsole = vi.spyOn(console, 'error').mockImplementation(() => {})
    const mistake = new Error('mistaken')
    const random = () => {
      throw mistake
    }
    expect(afterFailures(1, retryAwareInterval(5_000, { random }))).toEqual([7_500])
    expect(onConsole.mock.calls).toEqual([[expect.any(String), mistake]])
  })

  it.each<[string, unknown, object]>([
    ...[NaN, 0, -1, Infinity, LONGEST_TIMER_MS + 1, '5', null, undefined].map(
      (ms): [string, unknown, object] => ['ms', ms, {}],
    ),
    ...[NaN, 4_999, Infinity, LONGEST_TIMER_MS + 1, '5', null].map(
      (capMs): [string, unknown, object] => ['capMs', 5_000, { capMs }],
    ),
    ...[NaN, 0.5, Infinity, null].map((factor): [string, unknown, object] => [
      'factor',
      5_000,
      { factor },
    ]),
    ['random', 5_000, { random: 0.5 }],
  ])('refuses %s %s %o, naming option, value and accepted range', (option, ms, options) => {
    const build = () => retryAwareInterval(ms as number, options)
    expect(build).toThrow(RetryOptionError)
    expect(build).toThrow(new RegExp(`^${option} must be a .*, but is `))
  })

  it('is never shorter than what the server asked for, nor than `ms`', () => {
    const waits = fc.oneof(fc.nat({ max: 7_200 }), fc.nat())
    const ms = fc.integer({ min: 1, max: 10 * HOUR_MS })
    const draws = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.constantFrom(429, 503), waits, ms, draws, (status, seconds, ms, draw) => {
        const interval = retryAwareInterval(ms, { random: () => draw })
        const error = { status, headers: { 'retry-after': `${seconds}` } }
        const waitMs = seconds * 1_000
        for (const answer of afterFailures(3, interval, error)) {
          if (waitMs > LONGEST_TIMER_MS) expect(answer).toBe(false)
          else expect(answer).toBeGreaterThanOrEqual(Math.max(ms, waitMs))
        }
      }),
    )
  })

  it('is false or a whole number of ms to 2^31 - 1, the same until the query fails or succeeds', () => {
    const errors = fc.oneof(
      fc.record({
        status: fc.constantFrom(404, 429, 500, 503),
        headers: fc.record({ 'retry-after': fc.oneof(fc.nat().map(String), fc.string()) }),
      }),
      fc.constant(new CancelledError()),
      fc.anything(),
    )
    const steps = fc.array(
      fc.oneof(
        fc.record({ fails: errors }),
        fc.constantFrom('succeeds' as const, 'starts' as const, 'reset' as const),
      ),
      { maxLength: 40 },
    )
    const options = fc.record({
      ms: fc.integer({ min: 1, max: LONGEST_TIMER_MS }),
      factor: fc.double({ min: 1, max: 1e6, noNaN: true }),
      random: fc.func(fc.oneof(fc.double({ min: 0, max: 1 }), fc.constantFrom(NaN, -1, 2))),
    })
    fc.assert(
      fc.property(steps, options, (taken, { ms, ...given }) => {
        const { query, fails, starts, succeeds } = queryByHand()
        const interval = retryAwareInterval(ms, given)
        for (const step of taken) {
          const before = interval(query)
          if (step === 'starts') starts()
          else if (step === 'succeeds') succeeds()
          else if (step === 'reset') query.reset()
          else fails(step.fails ?? null)
          const after = interval(query)
          expect(interval(query)).toBe(after)
          if (step === 'starts') expect(after).toBe(before)
          if (after === false) continue
          expect(Number.isInteger(after)).toBe(true)
          expect(after).toBeGreaterThanOrEqual(ms)
          expect(after).toBeLessThanOrEqual(LONGEST_TIMER_MS)
        }
      }),
    )
  })
})

/** Another number each time. */
function drawAnew(first = 0.1): Random {
  let draws = 0
  return () => (first + draws++ / 10) % 1
}

/** A mounted query that polls each second; the middle of each window is drawn unless told otherwise. */
function mounted(
  scripts: Script[],
  {
    // Built in the render, as a component does.
    interval = () => retryAwareInterval(1_000, half),
    preset = { maxRetries: 0 },
    observers = 1,
  }: {
    interval?: () => QueryOption<number | false>
    preset?: RetryPresetOptions
    observers?: number
  } = {},
) {
  const conversation = startConversation(preset)
  const { queryFn, sentAtMs } = followScript(scripts, conversation.clock.nowMs)
  const views = Array.from({ length: observers }, () =>
    renderHookWithClient(conversation.client, () =>
      useQuery({ queryKey: ['stock'], queryFn, refetchInterval: interval() }),
    ),
  )
  const [view] = views as [(typeof views)[number]]
  const query = conversation.client.getQueryCache().find({ queryKey: ['stock'] })
  if (!query) throw new Error('not mounted')
  return { ...conversation, ...view, query, sentAtMs }
}

describe('polling with retryAwareInterval', () => {
  it('sends every `ms` while all is well', async () => {
    const { sentAtMs } = mounted([tea])
    await advanceRendered(4_500)
    expect(sentAtMs).toEqual([0, 1_000, 2_000, 3_000, 4_000])
  })

  it('slows while the query fails, and is at `ms` again after a success', async () => {
    const { sentAtMs } = mounted([tea, unavailable, unavailable, unavailable, tea])
    await advanceRendered(14_000)
    expect(sentAtMs).toEqual([0, 1_000, 2_500, 5_500, 11_500, 12_500, 13_500])
  })

  it('counts fetches, not attempts, and waits from the end of one', async () => {
    const { sentAtMs } = mounted([unavailable], { preset: { maxRetries: 2 } })
    await advanceRendered(8_000)
    // 600 and 1,100 ms are the waits of the retries.
    expect(sentAtMs).toEqual([0, 600, 1_700, 3_200, 3_800, 4_900, 7_900])
  })

  it('sends nothing beside a fetch that is running or waits for its retry, however short `ms` is', async () => {
    const { sentAtMs } = mounted([{ answers: 'tea', afterMs: 5_000 }, unavailable, tea], {
      preset: { jitter: 'none', baseMs: 8_000 },
    })
    await advanceRendered(15_500)
    expect(sentAtMs).toEqual([0, 6_000, 14_000, 15_000])
  })

  it.each<[string, (random: Random) => QueryOption<number | false>, number[]]>([
    ['slowed', random => retryAwareInterval(1_000, { random }), [0, 1_100, 3_500]],
    // What the docstring warns of: the timer starts again at each render.
    ['starved, where each call draws', random => () => 1_000 + 1_000 * random(), [0]],
  ])(
    'that fails in a component which renders 20 times per interval is %s',
    async (_, build, sent) => {
      const random = drawAnew()
      const { sentAtMs, rerender } = mounted([unavailable], { interval: () => build(random) })
      for (let render = 0; render < 100; render++) {
        await advanceRendered(50)
        rerender()
      }
      expect(sentAtMs).toEqual(sent)
    },
  )

  it('is one for all observers of a query', async () => {
    const random = drawAnew(0.9)
    const { sentAtMs } = mounted([unavailable], {
      observers: 3,
      interval: () => retryAwareInterval(1_000, { random }),
    })
    await advanceRendered(4_500)
    expect(sentAtMs).toEqual([0, 1_900, 3_900])
  })

  it('stops at a 404 and starts again once a person’s `refetch` succeeds', async () => {
    const { sentAtMs, result, clock } = mounted([tea, gone, tea])
    await advanceRendered(HOUR_MS)
    expect(sentAtMs).toEqual([0, 1_000])
    const pressedAtMs = clock.nowMs()
    void result.current.refetch()
    await advanceRendered(2_500)
    expect(sentAtMs.slice(2)).toEqual([pressedAtMs, pressedAtMs + 1_000, pressedAtMs + 2_000])
  })

  it('goes by the classification of the preset', async () => {
    const { sentAtMs } = mounted([gone], {
      preset: {
        maxRetries: 0,
        classify: () => ({ kind: 'http', retryable: true, reason: 'not-indexed', effect: 'none' }),
      },
    })
    await advanceRendered(2_000)
    expect(sentAtMs).toEqual([0, 1_500])
  })

  it('waits as long as the server asks, where that ended the query', async () => {
    const { sentAtMs, stopReasons } = mounted(
      [{ fails: { status: 503, headers: { 'retry-after': '600' } } }],
      { preset: {} },
    )
    await advanceRendered(600_000)
    expect(stopReasons()).toEqual(['server-wait-too-long'])
    expect(sentAtMs).toEqual([0])
    await advanceRendered(300_000)
    expect(sentAtMs).toEqual([0, 900_000])
  })

  it('goes on after the person cancelled the retries', async () => {
    const { sentAtMs, query } = mounted([unavailable], { preset: {} })
    await advanceRendered(100)
    endWithLatestError(query)
    await advanceRendered(1_600)
    expect(sentAtMs).toEqual([0, 1_600])
  })
})
