import { createRetryPolicy } from '@query-retry/core'
import { seededRandom } from '@query-retry/core/testing'
import { describe, expect, it } from 'vitest'
import { type DelayContext, seededPolicy } from './delay-policy.ts'

const ERROR = { status: 503, headers: { 'retry-after': '5' } }

describe('seededPolicy', () => {
  it('draws a core policy’s delays from the given source, not from its own', () => {
    const policy = createRetryPolicy({ random: () => 0 })
    const input = { error: { status: 503 }, retryIndex: 0 }
    expect(seededPolicy(policy, () => 0.5).decide(input)).toMatchObject({ delayMs: 600 })
  })

  it('decides as the core policy does, error by error', () => {
    const options = { maxRetries: 2, deadlineMs: 5_000 }
    const own = createRetryPolicy({ ...options, random: seededRandom(1) })
    const seeded = seededPolicy(createRetryPolicy(options), seededRandom(1))
    for (const error of [ERROR, { status: 404 }, ERROR, new TypeError('Failed to fetch'), 'x'])
      for (const retryIndex of [0, 1, 2]) {
        const input = { error, retryIndex, elapsedMs: 1_000 }
        expect(seeded.decide(input)).toEqual(own.decide(input))
      }
  })

  it('tells a formula the retry, the failure and its previous delay', () => {
    const asked: [number, DelayContext][] = []
    const formula = {
      delayMs: (retryIndex: number, _: () => number, context: DelayContext) => {
        asked.push([retryIndex, context])
        return 12.75
      },
    }
    const policy = seededPolicy(formula, Math.random)
    const decision = policy.decide({ error: ERROR, retryIndex: 3, previousDelayMs: 8 })
    expect(decision).toMatchObject({ retry: true, delayMs: 12, drawMs: 12.75 })
    expect(asked).toMatchObject([[3, { previousDelayMs: 8, failure: { serverWaitMs: 5_000 } }]])
  })

  it.each([
    { maxRetries: 2, retryIndex: 1, retry: true },
    { maxRetries: 2, retryIndex: 2, retry: false },
    { maxRetries: undefined, retryIndex: 1e6, retry: true },
  ])('ends a formula after $maxRetries retries: index $retryIndex gives $retry', row => {
    const policy = seededPolicy({ delayMs: () => 1, maxRetries: row.maxRetries }, Math.random)
    const { retry } = policy.decide({ error: ERROR, retryIndex: row.retryIndex, elapsedMs: 1e9 })
    expect(retry).toBe(row.retry)
  })

  it.each([NaN, -5, 0, 0.9, Infinity, 2 ** 31])(
    'takes %d as a timer of Node.js does: 1 ms',
    delay => {
      const policy = seededPolicy({ delayMs: () => delay }, Math.random)
      expect(policy.decide({ error: ERROR, retryIndex: 0 })).toMatchObject({ delayMs: 1 })
    },
  )
})
