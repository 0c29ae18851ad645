import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { retry, retryDelay } from './plain-retry.ts'
import { createRetryPreset } from './retry-preset.ts'
import { advance, followScript, installFakeTime } from './testing-support/conversation.ts'

installFakeTime()

/** Both answers, in both orders. */
function answers(failureCount: number, error: object) {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const delayFirst = { delayMs: retryDelay(failureCount, error), retry: retry(failureCount, error) }
  const retryFirst = { retry: retry(failureCount, error), delayMs: retryDelay(failureCount, error) }
  expect(retryFirst).toEqual(delayFirst)
  return delayFirst
}

describe('the plain pair', () => {
  it.each([408, 429, 502, 503, 504])('retries a %d four times', status => {
    const decisions = [0, 1, 2, 3, 4].map(count => answers(count, { status }))
    expect(decisions).toEqual([
      { retry: true, delayMs: 600 },
      { retry: true, delayMs: 1_100 },
      { retry: true, delayMs: 2_100 },
      { retry: true, delayMs: 4_100 },
      { retry: false, delayMs: 0 },
    ])
  })

  it.each([400, 401, 403, 404, 409, 410, 422, 500, 501])('never retries a %d', status => {
    expect(answers(0, { status })).toEqual({ retry: false, delayMs: 0 })
  })

  it('decides as the preset does', () => {
    const { queries } = createRetryPreset({ random: () => 0.5 })
    for (const status of [404, 408, 429, 500, 503]) {
      for (const count of [0, 3, 4]) {
        const { retry: retries, delayMs } = answers(count, { status })
        const delayOfPreset = queries.retryDelay(count, { status })
        expect([queries.retry(count, { status }), delayOfPreset]).toEqual([retries, delayMs])
      }
    }
  })

  it.each([
    ['20', { retry: true, delayMs: 20_600 }],
    ['29', { retry: true, delayMs: 29_600 }],
    ['31', { retry: false, delayMs: 0 }],
  ])(
    'answers a 429 that asks for %s s: a wait above the deadline of 30 s ends it',
    (value, decision) => {
      expect(answers(0, { status: 429, headers: { 'retry-after': value } })).toEqual(decision)
    },
  )

  it('draws a wait once for both answers', () => {
    const random = vi.spyOn(Math, 'random')
    const error = { status: 503 }
    const delayMs = retryDelay(0, error)
    retry(0, error)
    expect(random).toHaveBeenCalledOnce()
    expect(delayMs).toBeGreaterThanOrEqual(200)
    expect(delayMs).toBeLessThanOrEqual(1_000)
  })

  it('retries through the real QueryClient, 5 attempts', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const client = new QueryClient({ defaultOptions: { queries: { retry, retryDelay } } })
    const { queryFn, sentAtMs } = followScript([{ fails: { status: 503 } }])
    const startedAtMs = performance.now()
    const fetched = client.fetchQuery({ queryKey: ['cart'], queryFn })
    fetched.catch(() => {})
    await advance(60_000)
    expect(sentAtMs.map(atMs => atMs - startedAtMs)).toEqual([0, 600, 1_700, 3_800, 7_900])
    await expect(fetched).rejects.toEqual({ status: 503 })
  })

  it('keeps the counts of 20 queries apart that fail with one error object', async () => {
    const client = new QueryClient({ defaultOptions: { queries: { retry, retryDelay } } })
    const shared = { status: 503 }
    const sends = Array<number>(20).fill(0)
    sends.forEach((_, i) => {
      const queryFn = () => {
        sends[i] = (sends[i] ?? 0) + 1
        return Promise.reject(shared)
      }
      client.prefetchQuery({ queryKey: [i], queryFn })
    })
    await advance(60_000)
    expect(sends).toEqual(Array(20).fill(5))
  })
})
