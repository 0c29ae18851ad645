import { describe, expect, it } from 'vitest'
import { createRetryPolicy, type RetryDecision, type RetryPolicyOptions } from './retry-policy.ts'
import { seededRandom } from './testing/index.ts'

const DRAWS = 10_000

/** The delay after a failure whose server asks for `waitMs`. */
function decideAfter(
  status: number,
  waitMs: number,
  options: RetryPolicyOptions = {},
  elapsedMs = 0,
): RetryDecision {
  const error = { status, headers: { 'retry-after-ms': String(waitMs) } }
  return createRetryPolicy(options).decide({ error, retryIndex: 0, elapsedMs })
}

function delays(
  status: number,
  waitMs: number,
  options: RetryPolicyOptions = {},
  elapsedMs = 0,
): number[] {
  const random = seededRandom(waitMs + status)
  const policy = createRetryPolicy({ ...options, random })
  const error = { status, headers: { 'retry-after-ms': String(waitMs) } }
  return Array.from({ length: DRAWS }, () => {
    const decision = policy.decide({ error, retryIndex: 0, elapsedMs })
    return decision.retry ? decision.delayMs : NaN
  })
}

/** The fullest of 20 equal parts of [low, high], as a multiple of its fair share. */
function fullestPart(values: number[], low: number, high: number): number {
  const counts = Array.from({ length: 20 }, () => 0)
  for (const value of values) {
    const part = Math.floor(((value - low) / (high - low + 1)) * 20)
    counts[part] = (counts[part] ?? 0) + 1
  }
  return (Math.max(...counts) * 20) / values.length
}

describe('decide, server wait', () => {
  it.each([
    { status: 503, waitMs: 5_000, low: 5_000, high: 10_000, why: 'grows with the wait' },
    { status: 502, waitMs: 2_000, low: 2_000, high: 4_000, why: 'grows with the wait' },
    { status: 504, waitMs: 400, low: 400, high: 1_400, why: 'is at least the window' },
    {
      status: 503,
      waitMs: 1,
      low: 200,
      high: 1_001,
      why: 'starts where the sum reaches the floor',
    },
    { status: 429, waitMs: 5_000, low: 5_200, high: 6_000, why: 'is the ordinary draw' },
    { status: 408, waitMs: 5_000, low: 5_200, high: 6_000, why: 'is the ordinary draw' },
    { status: 429, waitMs: 1, low: 201, high: 1_001, why: 'is the ordinary draw' },
  ])(
    'waits evenly from $low to $high ms after a $status that asks for $waitMs: the spread $why',
    ({ status, waitMs, low, high }) => {
      const values = delays(status, waitMs)
      expect(Math.min(...values)).toBeGreaterThanOrEqual(low)
      expect(Math.min(...values)).toBeLessThan(low + (high - low) / 100)
      expect(Math.max(...values)).toBeLessThanOrEqual(high)
      expect(Math.max(...values)).toBeGreaterThan(high - (high - low) / 100)
      expect(fullestPart(values, low, high)).toBeLessThanOrEqual(1.2)
    },
  )

  it('does not gather a fifth of all clients on the floor after a 503 that asks for 1 ms', () => {
    const onFloor = delays(503, 1).filter(value => value === 200)
    expect(onFloor.length).toBeLessThanOrEqual(DRAWS * 0.005)
  })

  it.each([0, 0.5, 0.999_999, 1, NaN, -1])('is never shorter than asked with random %d', value => {
    for (const serverWait of ['add', 'max'] as const)
      for (const status of [408, 429, 502, 503, 504])
        for (const waitMs of [1, 199, 200, 201, 1_000, 9_999])
          expect(decideAfter(status, waitMs, { serverWait, random: () => value })).toMatchObject({
            retry: true,
            source: 'server',
            delayMs: expect.toSatisfy((delayMs: number) => delayMs >= Math.max(waitMs, 200)),
          })
  })

  it.each([
    { waitMs: 300, random: 0.5, expected: 600 },
    { waitMs: 5_000, random: 0.5, expected: 5_000 },
  ])(
    'waits the longer of $waitMs ms and the draw where serverWait is max',
    ({ waitMs, random, expected }) => {
      const options = { serverWait: 'max', random: () => random } as const
      expect(decideAfter(503, waitMs, options)).toMatchObject({ delayMs: expected, drawMs: 600 })
    },
  )

  it('takes a wait of 0 for the backoff draw alone', () => {
    const options = { random: () => 0.5 }
    const expected = { delayMs: 600, source: 'backoff', drawMs: 600 }
    expect(decideAfter(503, 0, options)).toMatchObject(expected)
    expect(decideAfter(429, 0, options)).toMatchObject(expected)
  })

  it('draws the spread within the time left as long as an ordinary window fits: 5 s + [0, 2 s]', () => {
    const values = delays(503, 5_000, {}, 23_000)
    expect(values).not.toContain(NaN)
    expect(Math.max(...values)).toBeLessThanOrEqual(7_000)
    expect(fullestPart(values, 5_000, 7_000)).toBeLessThanOrEqual(1.2)
  })

  it('leaves minAttemptMs and reserveMs out of the time left', () => {
    const values = delays(503, 5_000, { minAttemptMs: 400, reserveMs: 600 }, 23_000)
    expect(Math.max(...values)).toBeLessThanOrEqual(6_000)
    expect(Math.max(...values)).toBeGreaterThan(5_990)
  })

  it('does not squeeze clients into less than a window: 5 s + [0, 5 s] with 999 ms left beyond', () => {
    const values = delays(503, 5_000, {}, 24_001)
    const inTime = values.filter(value => !Number.isNaN(value))
    expect(Math.max(...inTime)).toBeLessThanOrEqual(5_999)
    expect(inTime.length / DRAWS).toBeGreaterThan(0.17)
    expect(inTime.length / DRAWS).toBeLessThan(0.23)
  })

  it('ends at once where the wait alone is longer than the time left, by 1 ms', () => {
    expect(decideAfter(503, 5_000, { random: () => 0 }, 25_000)).toMatchObject({ delayMs: 5_000 })
    expect(decideAfter(503, 5_000, { random: () => 0 }, 25_001)).toMatchObject({
      reason: 'server-wait-too-long',
    })
  })

  it.each([
    { waitMs: 60_000, reason: undefined },
    { waitMs: 60_001, reason: 'server-wait-too-long' },
  ])('accepts at most maxServerWaitMs, 60 s: $waitMs gives $reason', ({ waitMs, reason }) => {
    expect(decideAfter(503, waitMs, { deadlineMs: Infinity })).toMatchObject(
      reason ? { retry: false, reason } : { retry: true },
    )
  })

  it('never fires early at the longest timer: 2^31 - 1 ms plus spread stays 2^31 - 1', () => {
    const options = { deadlineMs: Infinity, maxServerWaitMs: Infinity, random: () => 0.9 }
    expect(decideAfter(503, 2 ** 31 - 1, options)).toMatchObject({ delayMs: 2 ** 31 - 1 })
    expect(decideAfter(503, 2 ** 31, options)).toMatchObject({ reason: 'server-wait-too-long' })
  })

  it('adds the whole window without jitter', () => {
    expect(decideAfter(503, 5_000, { jitter: 'none' })).toMatchObject({ delayMs: 6_000 })
  })
})
