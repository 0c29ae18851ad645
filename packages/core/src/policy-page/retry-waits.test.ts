import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyFailure } from '../classify-failure.ts'
import {
  createRetryPolicy,
  type DecisionInput,
  type RetryPolicy,
  type RetryPolicyOptions,
} from '../retry-policy.ts'
import { runWithRetry } from '../run-with-retry.ts'
import { manualClock, seededRandom } from '../testing/index.ts'
import { retryWaits, totalWaits } from './retry-waits.ts'

const UNAVAILABLE = { status: 503 }
const OPERATIONS = 10_000
const FAILURE = classifyFailure(UNAVAILABLE)

function total(options: RetryPolicyOptions) {
  const resolved = createRetryPolicy(options).options
  return totalWaits(resolved, retryWaits(resolved))
}

/** The waits that core decides on for operations that only fail, at once. */
function decidedWaits(options: RetryPolicyOptions, seed = 5): number[][] {
  const policy = createRetryPolicy({
    ...options,
    random: seededRandom(seed),
    classify: () => FAILURE,
  })
  return Array.from({ length: OPERATIONS }, () => {
    const waits: number[] = []
    let elapsedMs = 0
    for (let retryIndex = 0; ; retryIndex++) {
      const previousDelayMs = waits.at(-1)
      const input = { error: UNAVAILABLE, retryIndex, elapsedMs, previousDelayMs }
      const decision = policy.decide(input)
      if (!decision.retry) return waits
      waits.push(decision.delayMs)
      elapsedMs += decision.delayMs
    }
  })
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
const mean = (values: readonly number[]) => sum(values) / values.length

function standardError(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(mean(values.map(value => (value - middle) ** 2)) / values.length)
}

describe('retryWaits', () => {
  it('are the windows of 1, 2, 4 and 8 s by default, drawn from 200 ms on', () => {
    expect(retryWaits(createRetryPolicy().options)).toEqual([
      { retry: 1, lastRetry: 1, lowMs: 200, highMs: 1_000, meanMs: 600 },
      { retry: 2, lastRetry: 2, lowMs: 200, highMs: 2_000, meanMs: 1_100 },
      { retry: 3, lastRetry: 3, lowMs: 200, highMs: 4_000, meanMs: 2_100 },
      { retry: 4, lastRetry: 4, lowMs: 200, highMs: 8_000, meanMs: 4_100 },
    ])
  })

  it.each([
    [{ maxRetries: 0 }, []],
    [{ maxRetries: 3, factor: 1 }, [[1, 3]]],
    [
      { maxRetries: Infinity, jitter: 'none' as const },
      [
        [1, 1],
        [2, 2],
        [3, 3],
        [4, Infinity],
      ],
    ],
    [{ maxRetries: 1e9, baseMs: 8_000 }, [[1, 1e9]]],
    [{ maxRetries: 3, baseMs: 1, floorMs: 0, factor: 1.5, capMs: 1 }, [[1, 3]]],
    [
      { maxRetries: 4, baseMs: 1, floorMs: 0, factor: 1.5 },
      [
        [1, 2],
        [3, 3],
        [4, 4],
      ],
    ],
    [{ maxRetries: 9, jitter: 'decorrelated' as const, capMs: 3_000 }, [[1, 9]]],
  ])('says of %j which retries are alike: %j', (options, expected) => {
    const waits = retryWaits(createRetryPolicy(options).options)
    expect(waits.map(({ retry, lastRetry }) => [retry, lastRetry])).toEqual(expected)
  })

  it.each([
    { factor: 1.000_001, maxRetries: Infinity },
    { factor: 1.000_001, maxRetries: 1_000 },
    { factor: 1.000_001, maxRetries: 1_001 },
    { factor: 1, maxRetries: 1e9 },
    { jitter: 'decorrelated' as const, capMs: 2_147_483_647, maxRetries: Infinity },
  ])('comes to an end, with every retry in one line and none above the cap: %j', options => {
    const waits = retryWaits(createRetryPolicy({ capMs: 60_000, ...options }).options)
    expect(waits.length).toBeLessThan(1_010)
    expect(waits[0]?.retry).toBe(1)
    expect(waits.at(-1)?.lastRetry).toBe(options.maxRetries)
    for (const [index, wait] of waits.entries()) {
      expect(wait.retry).toBe(1 + (waits[index - 1]?.lastRetry ?? 0))
      expect(wait.lastRetry).toBeGreaterThanOrEqual(wait.retry)
      expect(wait.highMs).toBeLessThanOrEqual(options.capMs ?? 60_000)
    }
  })

  it.each<RetryPolicyOptions>([
    { jitter: 'full' },
    { jitter: 'equal' },
    { jitter: 'none' },
    { jitter: 'full', floorMs: 1_500, factor: 3, baseMs: 700 },
    { jitter: 'decorrelated', maxRetries: 8 },
    { jitter: 'decorrelated', maxRetries: 8, baseMs: 300, capMs: 2_000 },
    { jitter: 'decorrelated', maxRetries: 8, baseMs: 100, capMs: 60_000 },
    { jitter: 'decorrelated', maxRetries: 5, floorMs: 2_000 },
  ])("has the mean of core's draws, retry by retry, within 4 sigma: %j", options => {
    const drawn = decidedWaits({ ...options, deadlineMs: Infinity })
    const waits = retryWaits(createRetryPolicy(options).options)
    expect(waits.length).toBeGreaterThanOrEqual(2)
    for (const { retry, lastRetry, lowMs, highMs, meanMs } of waits) {
      for (let index = retry - 1; index < lastRetry; index++) {
        const draws = drawn.map(list => list[index] as number)
        expect(Math.abs(mean(draws) - meanMs)).toBeLessThanOrEqual(4 * standardError(draws))
        expect(Math.min(...draws)).toBeGreaterThanOrEqual(lowMs)
        expect(Math.max(...draws)).toBeLessThanOrEqual(highMs)
      }
    }
  })
})

describe('totalWaits', () => {
  it.each<RetryPolicyOptions>([
    {},
    { jitter: 'equal' },
    { jitter: 'none' },
    { floorMs: 2_500 },
    { maxRetries: 12, deadlineMs: 120_000 },
    { jitter: 'none', deadlineMs: 8_000 },
  ])("expects the mean of core's waits together, within 4 sigma: %j", options => {
    const sums = decidedWaits(options).map(sum)
    const { expectedWaitMs } = total(options)
    expect(Math.abs(mean(sums) - expectedWaitMs)).toBeLessThanOrEqual(4 * standardError(sums))
  })

  it.each<{ options: RetryPolicyOptions }>([
    { options: { deadlineMs: 3_000 } },
    { options: { deadlineMs: 6_000 } },
    { options: { deadlineMs: 8_000 } },
    { options: { deadlineMs: 10_000, reserveMs: 500, minAttemptMs: 300 } },
    { options: { maxRetries: 20 } },
    { options: { maxRetries: Infinity, deadlineMs: 60_000 } },
    { options: { jitter: 'equal', deadlineMs: 10_000 } },
    { options: { jitter: 'decorrelated', deadlineMs: 8_000 } },
    { options: { capMs: 30_000, maxRetries: 10 } },
  ])('expects it within 10 % where the deadline cuts the waits: $options', ({ options }) => {
    const sums = decidedWaits(options).map(sum)
    const { expectedWaitMs } = total(options)
    expect(expectedWaitMs / mean(sums)).toBeGreaterThan(0.9)
    expect(expectedWaitMs / mean(sums)).toBeLessThan(1.1)
    expect(expectedWaitMs).toBeLessThan(
      total({ ...options, deadlineMs: 1e9, maxRetries: 20 }).expectedWaitMs,
    )
  })

  it.each<[RetryPolicyOptions, Partial<ReturnType<typeof total>>]>([
    [{}, { retries: 4, worstWaitMs: 15_000, expectedWaitMs: 7_900, longestMs: Infinity }],
    [{ attemptTimeoutMs: 5_000 }, { longestMs: 30_000, worstServerWaitMs: 30_000 }],
    [{ attemptTimeoutMs: 1_000, deadlineMs: Infinity, maxServerWaitMs: 0 }, { longestMs: 20_000 }],
    [
      { maxRetries: 0, attemptTimeoutMs: 9 },
      { retries: 0, worstWaitMs: 0, longestMs: 9 },
    ],
    [
      { deadlineMs: 3_000, floorMs: 1_000 },
      { retries: 3, worstWaitMs: 3_000 },
    ],
    [{ deadlineMs: 100 }, { retries: 0, expectedWaitMs: 0, worstWaitMs: 0, worstServerWaitMs: 0 }],
    [
      { reserveMs: 40_000 },
      { retries: 0, expectedWaitMs: 0, worstWaitMs: 0, worstServerWaitMs: 0 },
    ],
    [
      { maxRetries: Infinity, deadlineMs: Infinity },
      { retries: Infinity, worstWaitMs: Infinity, expectedWaitMs: Infinity },
    ],
    [
      { maxRetries: Infinity, floorMs: 0 },
      { retries: Infinity, worstWaitMs: 30_000 },
    ],
    // Where the server asks for a moment, the floor comes in the place of draws from 500 ms on.
    [
      { jitter: 'equal', deadlineMs: 1_000 },
      { retries: 4, worstWaitMs: 1_000 },
    ],
    // 30 s / 200 ms.
    [{ maxRetries: Infinity }, { retries: 150, worstWaitMs: 30_000 }],
    [
      { maxRetries: 1e9, deadlineMs: Infinity, factor: 1, jitter: 'none' },
      { worstWaitMs: 1e12, expectedWaitMs: 1e12 },
    ],
    [{ deadlineMs: Infinity, maxServerWaitMs: 60_000 }, { worstServerWaitMs: 480_000 }],
    [{ deadlineMs: Infinity, serverWait: 'max' }, { worstServerWaitMs: 240_000 }],
    [{ deadlineMs: Infinity, jitter: 'none' }, { worstServerWaitMs: 255_000 }],
  ])('of %j are %j', (options, expected) => {
    expect(total(options)).toMatchObject(expected)
  })

  it.each<RetryPolicyOptions>([
    {},
    { jitter: 'equal' },
    { deadlineMs: 6_000 },
    { jitter: 'none', deadlineMs: 9_000 },
  ])(
    'are, at worst, what a run waits on a manual clock whose draws are the longest that fit: %j',
    async options => {
      const { worstWaitMs } = total(options)
      const seen = await Promise.all(
        [0.999_999, 0.75, 0.5, 0.25, 0].map(async value => {
          const clock = manualClock()
          const run = runWithRetry(() => Promise.reject(UNAVAILABLE), {
            policy: options,
            clock,
            random: () => value,
          }).catch(() => clock.nowMs())
          await clock.advance(60_000)
          return run as Promise<number>
        }),
      )
      expect(Math.max(...seen)).toBeLessThanOrEqual(worstWaitMs)
      if (options.deadlineMs === undefined) expect(Math.max(...seen)).toBe(worstWaitMs)
    },
  )

  it('ends at 2,300 ms where every attempt hangs and draws are long: a deadline of 2,500 less a reserve of 200', async () => {
    const worked: RetryPolicyOptions = {
      deadlineMs: 2_500,
      reserveMs: 200,
      attemptTimeoutMs: 800,
      minAttemptMs: 100,
      maxRetries: 2,
      baseMs: 100,
      factor: 3,
      floorMs: 0,
    }
    const clock = manualClock()
    const hanging = () => new Promise<never>(() => {})
    const ended = runWithRetry(hanging, { policy: worked, clock, random: () => 0.999 }).catch(() =>
      clock.nowMs(),
    )
    await clock.advance(10_000)
    expect(await ended).toBe(2_300)
    expect(total(worked).longestMs).toBe(2_300)
  })

  it('is the worst that any draw and any server can bring about, by trying all of them', () => {
    const small = fc.record({
      baseMs: fc.integer({ min: 1, max: 4 }),
      floorMs: fc.integer({ min: 0, max: 3 }),
      capMs: fc.integer({ min: 3, max: 7 }),
      factor: fc.constantFrom(1, 1.5, 2, 3),
      jitter: fc.constantFrom(
        'full' as const,
        'equal' as const,
        'decorrelated' as const,
        'none' as const,
      ),
      maxRetries: fc.integer({ min: 0, max: 3 }),
      deadlineMs: fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: 1, max: 24 }) },
        fc.constant(Infinity),
      ),
      reserveMs: fc.integer({ min: 0, max: 3 }),
      minAttemptMs: fc.integer({ min: 0, max: 3 }),
      maxServerWaitMs: fc.integer({ min: 0, max: 4 }),
      serverWait: fc.constantFrom('add' as const, 'max' as const),
    })
    fc.assert(
      fc.property(small, options => {
        const { retries, worstWaitMs, worstServerWaitMs } = total(options)
        const silent = tryEverything(options, [undefined])
        const asking = tryEverything(options, [undefined, 1, 2, 3, 4])
        expect(worstWaitMs).toBe(silent.longestMs)
        expect(worstServerWaitMs).toBe(asking.longestMs)
        expect(retries).toBe(asking.retries)
      }),
      { numRuns: 150 },
    )
  })
})

/** Every draw that there is in windows of up to 12 ms. */
const DRAWS = Array.from({ length: 13 * 14 }, (_, index) => (index + 0.5) / (13 * 14))

function tryEverything(options: RetryPolicyOptions, serverWaitsMs: (number | undefined)[]) {
  let value = 0
  const policy: RetryPolicy = createRetryPolicy({
    ...options,
    random: () => value,
    classify: error => error as never,
  })
  const answers = serverWaitsMs.flatMap(serverWaitMs =>
    [429, 503].map(status => ({ kind: 'http', retryable: true, reason: '', status, serverWaitMs })),
  )
  const seen = new Set<string>()
  let longestMs = 0
  let retries = 0
  function go(input: Omit<DecisionInput, 'error'> & { elapsedMs: number }) {
    const { elapsedMs, previousDelayMs, retryIndex } = input
    const key = `${retryIndex} ${elapsedMs} ${previousDelayMs}`
    if (seen.has(key)) return
    seen.add(key)
    longestMs = Math.max(longestMs, elapsedMs)
    retries = Math.max(retries, retryIndex)
    const next = new Map<string, DecisionInput & { elapsedMs: number }>()
    for (const error of answers) {
      for (value of DRAWS) {
        const decision = policy.decide({ ...input, error })
        if (!decision.retry) continue
        const { delayMs, drawMs } = decision
        next.set(`${delayMs} ${drawMs}`, {
          error,
          retryIndex: retryIndex + 1,
          elapsedMs: elapsedMs + delayMs,
          previousDelayMs: drawMs,
        })
      }
    }
    for (const following of next.values()) go(following)
  }
  go({ retryIndex: 0, elapsedMs: 0 })
  return { longestMs, retries }
}
