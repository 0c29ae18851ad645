import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyFailure } from './classify-failure.ts'
import { CircuitOpenError } from './errors.ts'
import {
  createRetryPolicy,
  type DecisionInput,
  type RetryDecision,
  type RetryPolicyOptions,
} from './retry-policy.ts'
import { seededRandom } from './testing/index.ts'

const DOWN = { status: 503 }
const REFUSAL = new CircuitOpenError(5_000, 0)
/** The first window is 1 s, the third 4 s. */
const MIDDLE: RetryPolicyOptions = { floorMs: 0, random: () => 0.5 }

function decideWith(options: RetryPolicyOptions, input: Partial<DecisionInput>): RetryDecision {
  return createRetryPolicy(options).decide({ error: DOWN, retryIndex: 0, ...input })
}

describe('classifyFailure', () => {
  it('takes a CircuitOpenError for a refusal of ours, worth a retry: nothing was sent', () => {
    expect(classifyFailure(REFUSAL)).toEqual({
      kind: 'refused',
      retryable: true,
      reason: 'circuit-open',
      effect: 'none',
    })
  })

  it('finds it as the cause of another error', () => {
    const wrapped = new Error('Could not load the prices', { cause: REFUSAL })
    expect(classifyFailure(wrapped).reason).toBe('circuit-open')
  })
})

describe('decide, an attempt that the breaker refused', () => {
  const refused = (options: RetryPolicyOptions, input: Partial<DecisionInput> = {}) =>
    decideWith(options, { error: REFUSAL, isRefused: true, ...input })

  it('is retried as circuit-open, whatever the breaker threw and without asking classify', () => {
    const classify = () => {
      throw new Error('asked')
    }
    for (const error of [REFUSAL, { code: 'CIRCUIT_OPEN' }, undefined, { status: 404 }]) {
      expect(refused({ classify }, { error })).toMatchObject({
        retry: true,
        source: 'backoff',
        failure: { kind: 'refused', reason: 'circuit-open', effect: 'none' },
      })
    }
  })

  it.each([0, 1, 4, 1_000, NaN])('is not stopped by maxRetries 0 at retryIndex %d', retryIndex => {
    expect(refused({ maxRetries: 0 }, { retryIndex }).retry).toBe(true)
    expect(decideWith({ maxRetries: 0 }, { retryIndex })).toMatchObject({
      reason: 'retries-exhausted',
    })
  })

  it.each(['full', 'equal', 'decorrelated', 'none'] as const)(
    'waits as before the first retry, not as before the third or after a long draw: %s jitter',
    jitter => {
      const options = { ...MIDDLE, jitter }
      const first = refused(options)
      expect(refused(options, { retryIndex: 2, previousDelayMs: 8_000 })).toEqual(first)
      expect(first).toEqual({ ...decideWith(options, {}), failure: classifyFailure(REFUSAL) })
    },
  )

  it.each([undefined, 0, -1, NaN])(
    'waits 1 ms at least where a probe is due in %s ms and the draw is 0',
    probeWaitMs => {
      const options = { floorMs: 0, random: () => 0 }
      expect(refused(options, { probeWaitMs })).toMatchObject({ delayMs: 1, drawMs: 0 })
    },
  )

  it.each([
    { probeWaitMs: 5_000, random: 0, delayMs: 5_000 },
    { probeWaitMs: 5_000, random: 0.5, delayMs: 7_500 },
    { probeWaitMs: 4_999.2, random: 0, delayMs: 5_000 },
    { probeWaitMs: 300, random: 0.5, delayMs: 800 },
    { probeWaitMs: 10, random: 0.99, delayMs: 1_000 },
  ])(
    'waits $delayMs ms for a probe due in $probeWaitMs, with random $random: the spread is as long again, a window at least',
    ({ probeWaitMs, random, delayMs }) => {
      expect(refused({ floorMs: 0, random: () => random }, { probeWaitMs })).toMatchObject({
        delayMs,
      })
    },
  )

  it('waits for the probe and the ordinary draw without jitter', () => {
    expect(refused({ jitter: 'none' }, { probeWaitMs: 5_000 })).toMatchObject({ delayMs: 6_000 })
  })

  it('spreads 10,000 clients evenly from the probe at 5 s to 10 s', () => {
    const random = seededRandom(5)
    const counts = [0, 0, 0, 0, 0]
    for (let n = 0; n < 10_000; n++) {
      const decision = refused({ random }, { probeWaitMs: 5_000 })
      const second = Math.min(
        4,
        Math.floor(((decision.retry ? decision.delayMs : NaN) - 5_000) / 1_000),
      )
      counts[second] = (counts[second] ?? 0) + 1
    }
    for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(200)
  })

  it('is waited for where the probe fits the deadline to the millisecond, and ends as circuit-open beyond', () => {
    const options = {
      ...MIDDLE,
      deadlineMs: 10_000,
      reserveMs: 500,
      minAttemptMs: 500,
      jitter: 'none' as const,
    }
    expect(refused(options, { probeWaitMs: 8_000 })).toMatchObject({ delayMs: 9_000 })
    expect(refused(options, { probeWaitMs: 8_001 })).toEqual({
      retry: false,
      reason: 'circuit-open',
      failure: classifyFailure(REFUSAL),
    })
  })
})

describe('decide, a failed attempt while the breaker is open', () => {
  it('waits for the probe where that is later than its backoff, with the first window as the least spread', () => {
    const probe = { retryIndex: 2, probeWaitMs: 300 }
    expect(decideWith(MIDDLE, probe)).toMatchObject({ delayMs: 2_000, drawMs: 2_000 })
    expect(decideWith(MIDDLE, { ...probe, probeWaitMs: 3_000 })).toMatchObject({
      delayMs: 4_500,
      source: 'backoff',
    })
  })

  it('waits for the later of the server’s wait and the probe', () => {
    const error = { status: 429, headers: { 'retry-after': '5' } }
    const source = 'server'
    expect(decideWith(MIDDLE, { error, probeWaitMs: 1_000 })).toMatchObject({
      delayMs: 5_500,
      source,
    })
    expect(decideWith(MIDDLE, { error, probeWaitMs: 6_000 })).toMatchObject({
      delayMs: 9_000,
      source,
    })
  })

  it.each<[string, Partial<DecisionInput>, RetryPolicyOptions?]>([
    ['cancelled', { error: new DOMException('left', 'AbortError') }],
    ['not-retryable', { error: { status: 404 } }],
    ['server-said-no', { error: { status: 503, headers: { 'x-should-retry': 'false' } } }],
    ['retries-exhausted', { retryIndex: 4 }],
    ['server-wait-too-long', { error: { status: 503, headers: { 'retry-after': '61' } } }],
    ['deadline', { elapsedMs: 29_999 }],
    ['circuit-open', { elapsedMs: 15_000 }],
  ])('ends as %s before circuit-open, with a probe due in 20 s', (reason, input, options = {}) => {
    expect(decideWith(options, { ...input, probeWaitMs: 20_000 })).toMatchObject({
      retry: false,
      reason,
    })
  })

  it.each([undefined, 0, -5_000, NaN])(
    'waits as ever where a probe is due in %s ms',
    probeWaitMs => {
      expect(decideWith(MIDDLE, { probeWaitMs })).toEqual(decideWith(MIDDLE, {}))
    },
  )
})

describe('decide, for any breaker', () => {
  const duration = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.constant(Infinity))
  const options = fc.record({
    baseMs: fc.integer({ min: 1, max: 20_000 }),
    floorMs: fc.double({ min: 0, max: 1_000, noNaN: true }),
    capMs: fc.integer({ min: 1_000, max: 2 ** 31 - 1 }),
    jitter: fc.constantFrom('full', 'equal', 'decorrelated', 'none'),
    maxRetries: fc.nat(9),
    deadlineMs: duration,
    minAttemptMs: fc.nat(500),
    reserveMs: fc.nat(500),
    random: fc.oneof(fc.double(), fc.constantFrom(1, -1)).map(value => () => value),
  }) as fc.Arbitrary<RetryPolicyOptions>
  const number = fc.oneof(fc.nat(60_000), fc.double())
  const input = fc.record({
    error: fc.oneof(fc.constantFrom(REFUSAL, DOWN, undefined, { status: 404 }), fc.anything()),
    retryIndex: number,
    elapsedMs: number,
    previousDelayMs: number,
    probeWaitMs: fc.oneof(number, fc.constantFrom(undefined, Infinity, -Infinity, 2 ** 31)),
    isRefused: fc.boolean(),
  })

  it('never throws, and waits whole milliseconds from 0 to 2^31 - 1: until the probe, where that is no longer than a timer takes', () => {
    fc.assert(
      fc.property(options, input, (given, asked) => {
        const decision = createRetryPolicy(given).decide(asked)
        if (!decision.retry) return
        const { delayMs } = decision
        expect(Number.isInteger(delayMs)).toBe(true)
        expect(delayMs).toBeLessThanOrEqual(2 ** 31 - 1)
        expect(delayMs).toBeGreaterThanOrEqual(asked.isRefused ? 1 : 0)
        if (asked.probeWaitMs) {
          expect(delayMs).toBeGreaterThanOrEqual(Math.min(asked.probeWaitMs, 2 ** 31 - 1))
        }
      }),
      { numRuns: 3_000 },
    )
  })

  it('ends a refused attempt only as circuit-open, and only where the wait does not fit the deadline', () => {
    fc.assert(
      fc.property(options, input, (given, asked) => {
        const { decide, options: policy } = createRetryPolicy(given)
        const decision = decide({ ...asked, isRefused: true })
        const { deadlineMs, reserveMs, minAttemptMs } = policy
        const unbounded = createRetryPolicy({ ...given, deadlineMs: Infinity }).decide({
          ...asked,
          elapsedMs: 0,
          isRefused: true,
        })
        if (decision.retry) {
          const endsAtMs = asked.elapsedMs + decision.delayMs + minAttemptMs + reserveMs
          expect(endsAtMs).toBeLessThanOrEqual(deadlineMs + 1e-6)
        } else {
          expect(decision.reason).toBe('circuit-open')
        }
        expect(unbounded.retry).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('names circuit-open only where the same attempt would be retried without a breaker', () => {
    fc.assert(
      fc.property(options, input, (given, asked) => {
        const { decide } = createRetryPolicy(given)
        const failed = { ...asked, isRefused: false }
        const decision = decide(failed)
        const without = decide({ ...failed, probeWaitMs: undefined })
        if (!decision.retry && decision.reason === 'circuit-open') expect(without.retry).toBe(true)
        else expect(decision).toMatchObject(without.retry ? { retry: true } : without)
      }),
      { numRuns: 2_000 },
    )
  })
})
