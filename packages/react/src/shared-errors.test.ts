import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import type { QueryRetryMeta } from './retry-preset.ts'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

/** Queries that wait for one thing and fail with it, as behind a shared token refresh. */
function startShared(error: unknown = { status: 503 }) {
  const conversation = startConversation({ budget: false })
  const { client, clock } = conversation
  const sentAtMs: Record<string, number[]> = {}
  const endings: Record<string, unknown> = {}
  let refresh: Promise<never> | undefined
  /** Everybody who asks within 10 ms shares one rejection. */
  const refreshToken = () => {
    refresh ??= new Promise<never>((_, reject) =>
      setTimeout(() => {
        refresh = undefined
        reject(error)
      }, 10),
    )
    return refresh
  }
  return {
    ...conversation,
    refreshToken,
    sentAtMs,
    endings,
    fetch(name: string, retry: QueryRetryMeta = {}, wait: () => Promise<never> = refreshToken) {
      sentAtMs[name] = []
      client
        .fetchQuery({
          queryKey: [name],
          meta: { retry },
          queryFn: () => {
            sentAtMs[name]?.push(clock.nowMs())
            return wait()
          },
        })
        .catch(thrown => {
          endings[name] = thrown
        })
    },
    fetchInfinite(name: string) {
      sentAtMs[name] = []
      client
        .fetchInfiniteQuery({
          queryKey: [name],
          initialPageParam: 0,
          getNextPageParam: () => null,
          queryFn: () => {
            sentAtMs[name]?.push(clock.nowMs())
            return refreshToken()
          },
        })
        .catch(thrown => {
          endings[name] = thrown
        })
    },
  }
}

/** Waits of 100 ms each. */
const STEADY = { baseMs: 100, factor: 1, jitter: 'none', floorMs: 0 } as const

describe('queries that reject with one shared error object', () => {
  it.each([
    ['an object', { status: 503 }],
    ['a frozen object', Object.freeze({ status: 504 })],
    ['an Error', Object.assign(new Error('down'), { status: 502 })],
  ])('keep counts of their own: %s', async (_, error) => {
    const { fetch, sentAtMs, endings } = startShared(error)
    fetch('one', { ...STEADY, maxRetries: 1 })
    fetch('three', { ...STEADY, maxRetries: 3 })
    await advance(60_000)
    expect(sentAtMs).toEqual({ one: [0, 110], three: [0, 110, 220, 330] })
    expect(endings).toEqual({ one: error, three: error })
  })

  it.each([[undefined], [null], ['down'], [NaN]])(
    'keep counts of their own where the error is %s',
    async error => {
      const { fetch, sentAtMs, events } = startShared(error)
      const classify = () =>
        ({ kind: 'unknown', retryable: true, reason: 'odd', effect: 'unknown' }) as const
      fetch('one', { ...STEADY, classify, maxRetries: 1 })
      fetch('three', { ...STEADY, classify, maxRetries: 3 })
      await advance(60_000)
      expect(sentAtMs).toEqual({ one: [0, 110], three: [0, 110, 220, 330] })
      expect(events.flatMap(e => (e.type === 'gave-up' ? [[e.queryHash, e.attempt]] : []))).toEqual(
        [
          ['["one"]', 2],
          ['["three"]', 4],
        ],
      )
    },
  )

  it('keep deadlines of their own', async () => {
    const { fetch, sentAtMs } = startShared()
    fetch('short', { ...STEADY, deadlineMs: 250, maxRetries: 9 })
    fetch('long', { ...STEADY, deadlineMs: 500, maxRetries: 9 })
    await advance(60_000)
    expect(sentAtMs).toEqual({ short: [0, 110, 220], long: [0, 110, 220, 330, 440] })
  })

  it('keep deadlines of their own where they start 5 ms apart', async () => {
    const { fetch, sentAtMs } = startShared()
    const policy = { ...STEADY, deadlineMs: 325, maxRetries: 9 }
    fetch('early', policy)
    await advance(5)
    fetch('late', policy)
    await advance(60_000)
    // The next attempt would start at 330 ms: 330 ms into the one fetch, 325 ms into the other.
    expect(sentAtMs).toEqual({ early: [0, 110, 220], late: [5, 110, 220, 330] })
  })

  it('keep the draws of decorrelated jitter apart', async () => {
    const { fetch, events } = startShared()
    const chain = { jitter: 'decorrelated', floorMs: 0, maxRetries: 2 } as const
    fetch('slow', { ...chain, baseMs: 1_000 })
    fetch('fast', { ...chain, baseMs: 100 })
    await advance(60_000)
    const delays = (name: string) =>
      events.flatMap(e =>
        e.type === 'retry-scheduled' && e.queryHash === `["${name}"]` ? [e.delayMs] : [],
      )
    expect(delays('slow')).toEqual([2_000, 3_500])
    expect(delays('fast')).toEqual([200, 350])
  })

  it('each have all their 4 retries where there are 20', async () => {
    const { fetch, sentAtMs, stopReasons } = startShared()
    for (let i = 0; i < 20; i++) fetch(`query ${i}`, STEADY)
    await advance(60_000)
    expect(Object.values(sentAtMs)).toEqual(Array(20).fill([0, 110, 220, 330, 440]))
    expect(stopReasons()).toEqual(Array(20).fill('retries-exhausted'))
  })

  it('each have their own number of retries where there are 20 that start 1 ms apart', async () => {
    const { fetch, sentAtMs } = startShared()
    for (let i = 0; i < 20; i++) {
      fetch(`query ${i}`, { ...STEADY, maxRetries: i })
      await advance(1)
    }
    await advance(60_000)
    expect(Object.values(sentAtMs).map(sends => sends.length)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
  })

  it('may be infinite queries among others', async () => {
    const { fetch, fetchInfinite, sentAtMs } = startShared()
    fetch('one', { ...STEADY, maxRetries: 1 })
    fetchInfinite('pages')
    fetch('two', { ...STEADY, maxRetries: 2 })
    await advance(60_000)
    expect(sentAtMs).toMatchObject({ one: { length: 2 }, pages: { length: 5 }, two: { length: 3 } })
  })

  it('do not inherit from one that was cancelled before the error came', async () => {
    const { fetch, sentAtMs, client } = startShared()
    fetch('cancelled', { ...STEADY, maxRetries: 0 })
    fetch('kept', { ...STEADY, maxRetries: 2 })
    await advance(5)
    client.cancelQueries({ queryKey: ['cancelled'] })
    await advance(60_000)
    expect(sentAtMs).toEqual({ cancelled: [0], kept: [0, 110, 220] })
  })

  it('do not inherit from one that was cancelled during the wait', async () => {
    const { fetch, sentAtMs, client } = startShared()
    fetch('cancelled', { ...STEADY, maxRetries: 9 })
    fetch('kept', { ...STEADY, maxRetries: 2 })
    await advance(50)
    client.cancelQueries({ queryKey: ['cancelled'] })
    await advance(60_000)
    expect(sentAtMs).toEqual({ cancelled: [0], kept: [0, 110, 220] })
  })

  it('may belong to two clients of one preset', async () => {
    const { fetch, sentAtMs, preset } = startShared()
    const second = new QueryClient({ defaultOptions: preset.defaultOptions })
    const shared = { status: 503 }
    const failing = () => Promise.reject(shared)
    let sends = 0
    fetch('first client', { ...STEADY, maxRetries: 1 }, failing)
    const other = second.fetchQuery({
      queryKey: ['first client'],
      meta: { retry: { ...STEADY, maxRetries: 3 } },
      queryFn: () => {
        sends++
        return failing()
      },
    })
    other.catch(() => {})
    await advance(60_000)
    expect(sentAtMs).toEqual({ 'first client': [0, 100] })
    expect(sends).toBe(4)
  })

  it('are not taken for one with a `retry` of its own that failed with it earlier', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { fetch, sentAtMs, refreshToken, client } = startShared()
    const own = { queryKey: ['own retry'], queryFn: refreshToken, retry: 1, retryDelay: 100 }
    client.fetchQuery(own).catch(() => {})
    // Both ask for the token before 115 ms, this one first.
    await advance(105)
    fetch('once', { maxRetries: 0 })
    await advance(60_000)
    expect(sentAtMs).toEqual({ once: [105] })
  })

  it('are not taken for one that ended unasked', async () => {
    const { fetch, sentAtMs, refreshToken, client } = startShared()
    const unasked = { queryKey: ['unasked'], queryFn: refreshToken, retry: false, retryDelay: 0 }
    client.fetchQuery(unasked).catch(() => {})
    await advance(1_000)
    fetch('once', { maxRetries: 0 })
    await advance(60_000)
    expect(sentAtMs).toEqual({ once: [1_000] })
  })
})
