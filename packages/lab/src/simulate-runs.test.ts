import { CircuitBreaker, createRetryPolicy, RetryBudget } from '@query-retry/core'
import { describe, expect, it } from 'vitest'
import { logNormalAnswers } from './answer-times.ts'
import { spreadOver, steadyRate } from './arrivals.ts'
import type { HerdOptions } from './herd-options.ts'
import { simulateHerd } from './simulate-herd.ts'
import { simulateRuns } from './simulate-runs.ts'

const HERD: HerdOptions = {
  clients: 400,
  capacityPerSlot: 4,
  slotMs: 100,
  policy: createRetryPolicy(),
  seed: 1,
}

const herds: [string, Partial<HerdOptions>][] = [
  ['the preset’s policy', {}],
  ['answers without delay', { answerMs: 0 }],
  ['an outage', { outageAtMs: 2_000, outageMs: 5_000, arrivals: spreadOver(10_000) }],
  ['a steady rate', { arrivals: steadyRate(60) }],
  ['Retry-After 5', { retryAfterMs: 5_000 }],
  ['Retry-After 5 with 429', { retryAfterMs: 5_000, rejectStatus: 429 }],
  ['a wait that is too long', { retryAfterMs: 31_000 }],
  ['lost answers', { lostAnswerRatio: 0.3 }],
  ['a queue', { queueLimit: 100 }],
  ['drawn answer times', { answerMs: logNormalAnswers(80, 900) }],
  ['decorrelated jitter', { policy: createRetryPolicy({ jitter: 'decorrelated' }) }],
  ['a deadline', { policy: createRetryPolicy({ maxRetries: Infinity, deadlineMs: 9_000 }) }],
  ['an attempt limit and a queue', { queueLimit: 99, policy: limited(700) }],
  ['an attempt limit as long as the answer', { answerMs: 700, policy: limited(700) }],
  ['a formula', { policy: { delayMs: (_, random) => random() * 900, maxRetries: 9 } }],
  ['an end before all is done', { policy: { delayMs: () => 1_000 }, untilMs: 7_300 }],
]

describe('simulateRuns', () => {
  it.each(herds)('gives exactly what simulateHerd gives: %s', async (_, options) => {
    const herd = { ...HERD, ...options }
    expect(await simulateRuns(herd)).toEqual(simulateHerd(herd))
  })

  it('gives exactly what simulateHerd gives: one budget for all, which runs dry', async () => {
    const withBudget = (): HerdOptions => {
      let shared: RetryBudget | undefined
      return { ...HERD, budget: ({ clock }) => (shared ??= new RetryBudget({ clock })) }
    }
    const result = await simulateRuns(withBudget())
    expect(result).toEqual(simulateHerd(withBudget()))
    expect(result.gaveUpBecause['budget-exhausted']).toBeGreaterThan(300)
  })

  it('drives circuit breakers: one for all spares the server, and costs the clients that wait for it', async () => {
    const herd = { ...HERD, outageMs: 10_000 }
    const withBreaker = () => {
      let shared: CircuitBreaker | undefined
      return simulateRuns({
        ...herd,
        circuitBreaker: ({ clock, random }) => (shared ??= new CircuitBreaker({ clock, random })),
      })
    }
    const result = await withBreaker()
    const without = simulateHerd(herd)
    expect(result.totalCalls).toBeLessThan(without.totalCalls / 2)
    expect(result.gaveUpBecause['circuit-open']).toBeGreaterThan(0)
    expect(result.served + result.gaveUp).toBe(400)
    expect(await withBreaker()).toEqual(result)
  })

  it('stops with a message where an option draws no duration', async () => {
    await expect(simulateRuns({ ...HERD, answerMs: () => NaN })).rejects.toThrow(
      'answerMs must be a function that gives a finite number from 0, but is NaN',
    )
  })
})

function limited(attemptTimeoutMs: number) {
  return createRetryPolicy({ attemptTimeoutMs })
}
