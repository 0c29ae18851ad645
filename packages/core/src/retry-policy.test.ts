import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeadlineExceededError } from './errors.ts'
import type { Failure } from './failure.ts'
import {
  createRetryPolicy,
  type DecisionInput,
  type RetryDecision,
  type RetryPolicyOptions,
} from './retry-policy.ts'

const SERVER_5_S = { status: 503, headers: { 'retry-after': '5' } }

function decideWith(
  options: RetryPolicyOptions,
  input: Partial<DecisionInput> & { error: unknown },
): RetryDecision {
  return createRetryPolicy(options).decide({ retryIndex: 0, ...input })
}

const asksFor5s = (): Failure => ({
  kind: 'unknown',
  retryable: true,
  reason: 'own',
  effect: 'none',
  serverWaitMs: 5_000,
})
const saidYes = (status: number, seconds: number) => ({
  status,
  headers: { 'retry-after': `${seconds}`, 'x-should-retry': 'true' },
})

describe('createRetryPolicy', () => {
  it('retries four times within 30 s: base 1 s, cap 8 s, floor 200 ms, full jitter', () => {
    const { options } = createRetryPolicy()
    expect(options.attemptTimeoutMs).toBeUndefined()
    expect(options).toMatchObject({
      maxRetries: 4,
      deadlineMs: 30_000,
      minAttemptMs: 0,
      reserveMs: 0,
      maxServerWaitMs: 60_000,
      serverWait: 'add',
      baseMs: 1_000,
      capMs: 8_000,
      floorMs: 200,
      factor: 2,
      jitter: 'full',
    })
  })

  it('takes the default for an option given as undefined', () => {
    const { options } = createRetryPolicy({ maxRetries: undefined, capMs: undefined })
    expect(options).toMatchObject({ maxRetries: 4, capMs: 8_000 })
  })

  it('draws 600 ms before the first retry with random 0.5, and stops after maxRetries', () => {
    const policy = createRetryPolicy({ maxRetries: 1, random: () => 0.5 })
    expect(policy.decide({ error: { status: 503 }, retryIndex: 0 })).toEqual({
      retry: true,
      delayMs: 600,
      source: 'backoff',
      drawMs: 600,
      failure: {
        kind: 'http',
        retryable: true,
        reason: 'http-503',
        status: 503,
        effect: 'unknown',
      },
    })
    expect(policy.decide({ error: { status: 503 }, retryIndex: 1 })).toMatchObject({
      reason: 'retries-exhausted',
    })
  })

  it.each([0, 1, 2, 3])('still retries at index %d of the four', retryIndex => {
    expect(decideWith({}, { error: { status: 503 }, retryIndex }).retry).toBe(true)
  })

  it('does not stop at index 1,000 where maxRetries is Infinity', () => {
    const options = { maxRetries: Infinity }
    expect(decideWith(options, { error: { status: 503 }, retryIndex: 1_000 }).retry).toBe(true)
  })

  it('stops as exhausted at an index that is NaN, rather than retry for ever', () => {
    expect(decideWith({}, { error: { status: 503 }, retryIndex: NaN })).toMatchObject({
      reason: 'retries-exhausted',
    })
  })

  it('hands classify the error and the wall clock, and takes its verdict', () => {
    const seen: unknown[] = []
    const decision = decideWith(
      {
        classify: (error, options) => {
          seen.push(error, options?.nowEpochMs)
          return { kind: 'unknown', retryable: true, reason: 'mine', effect: 'none' }
        },
      },
      { error: 'boom', nowEpochMs: 42 },
    )
    expect(seen).toEqual(['boom', 42])
    expect(decision).toMatchObject({ retry: true, failure: { reason: 'mine' } })
  })

  it('measures a Retry-After date against nowEpochMs where the response has no Date', () => {
    const headers = { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }
    const nowEpochMs = Date.UTC(2015, 9, 21, 7, 27, 50)
    const options = { random: () => 0 }
    expect(decideWith(options, { error: { status: 503, headers }, nowEpochMs })).toMatchObject({
      delayMs: 10_000,
    })
  })

  it.each<[string, RetryPolicyOptions, Partial<DecisionInput> & { error: unknown }, number]>([
    ['the ordinary draw where there is no status', { classify: asksFor5s }, { error: 0 }, 5_600],
    ['a spread as wide as the wait after a 500', {}, { error: saidYes(500, 5) }, 7_500],
    [
      'a spread as wide as the window of retry 2',
      {},
      { error: saidYes(503, 1), retryIndex: 2 },
      3_000,
    ],
  ])('adds %s to a server’s wait', (_, options, input, delayMs) => {
    expect(decideWith({ ...options, random: () => 0.5 }, input)).toMatchObject({ delayMs })
  })

  it('feeds decorrelated jitter with the previous draw, not with the server’s wait', () => {
    const options: RetryPolicyOptions = { jitter: 'decorrelated', random: () => 0.999_999 }
    const first = decideWith(options, { error: SERVER_5_S })
    expect(first).toMatchObject({ retry: true, drawMs: 3_000, source: 'server' })
    expect(
      decideWith(options, { error: { status: 503 }, retryIndex: 1, previousDelayMs: 2_000 }),
    ).toMatchObject({ delayMs: 6_000, drawMs: 6_000 })
  })
})

describe('decide, stop reasons', () => {
  const abort = new DOMException('stop', 'AbortError')
  const no = { 'x-should-retry': 'false' }
  const wait = (status: number, seconds: number) => ({
    status,
    headers: { 'retry-after': String(seconds) },
  })

  it.each<[string, string, Partial<DecisionInput> & { error: unknown }, RetryPolicyOptions?]>([
    ['cancelled', 'an abort', { error: abort }],
    ['not-retryable', 'a 404', { error: { status: 404 } }],
    ['server-said-no', 'a 503 with x-should-retry: false', { error: { status: 503, headers: no } }],
    ['retries-exhausted', 'the fifth failure', { error: { status: 503 }, retryIndex: 4 }],
    [
      'server-wait-too-long',
      'a wait above maxServerWaitMs',
      { error: wait(503, 61) },
      { deadlineMs: Infinity },
    ],
    [
      'server-wait-too-long',
      'a wait longer than the time left',
      { error: wait(503, 6), elapsedMs: 24_001 },
    ],
    [
      'server-wait-too-long',
      'a wait beyond the longest timer',
      { error: wait(503, 2_147_484) },
      { deadlineMs: Infinity, maxServerWaitMs: Infinity },
    ],
    ['deadline', 'a backoff that does not fit', { error: { status: 503 }, elapsedMs: 29_999 }],
    [
      'deadline',
      'a wait that fits, but not with its spread',
      { error: wait(503, 5), elapsedMs: 24_500 },
      { random: () => 0.9 },
    ],
    ['deadline', 'an elapsed time of NaN', { error: { status: 503 }, elapsedMs: NaN }],
    [
      'deadline',
      'our own DeadlineExceededError',
      { error: new DeadlineExceededError(30_000, 30_001, 'x') },
    ],
  ])('gives %s for %s', (reason, _, input, options) => {
    const decision = decideWith(options ?? {}, input)
    expect(decision).toMatchObject({ retry: false, reason })
    expect(decision).not.toHaveProperty('delayMs')
  })

  it.each<[string, string, Partial<DecisionInput> & { error: unknown }]>([
    ['cancelled', 'retries-exhausted', { error: abort, retryIndex: 9 }],
    ['cancelled', 'deadline', { error: abort, elapsedMs: 31_000 }],
    ['not-retryable', 'server-said-no', { error: { status: 404, headers: no } }],
    ['not-retryable', 'retries-exhausted', { error: { status: 404 }, retryIndex: 9 }],
    ['not-retryable', 'server-wait-too-long', { error: wait(404, 999) }],
    ['not-retryable', 'deadline', { error: { status: 404 }, elapsedMs: 31_000 }],
    ['server-said-no', 'retries-exhausted', { error: { status: 503, headers: no }, retryIndex: 9 }],
    [
      'server-said-no',
      'server-wait-too-long',
      { error: { status: 503, headers: { ...no, 'retry-after': '999' } } },
    ],
    ['server-said-no', 'deadline', { error: { status: 503, headers: no }, elapsedMs: 31_000 }],
    ['retries-exhausted', 'server-wait-too-long', { error: wait(503, 999), retryIndex: 4 }],
    ['retries-exhausted', 'deadline', { error: { status: 503 }, retryIndex: 4, elapsedMs: 31_000 }],
    ['server-wait-too-long', 'deadline', { error: wait(503, 999), elapsedMs: 31_000 }],
  ])('gives %s before %s where both hold', (reason, _, input) => {
    expect(decideWith({}, input)).toMatchObject({ retry: false, reason })
  })

  it('fits exactly: the delay, the minimum and the reserve may use up the deadline to the ms', () => {
    const options = { deadlineMs: 1_000, minAttemptMs: 300, reserveMs: 100, random: () => 0 }
    const at = (elapsedMs: number) => decideWith(options, { error: { status: 503 }, elapsedMs })
    expect(at(400)).toMatchObject({ retry: true, delayMs: 200 })
    expect(at(400.1)).toMatchObject({ retry: false, reason: 'deadline' })
  })

  it('does not round a fractional floor beyond the deadline', () => {
    const options = { floorMs: 200.5, baseMs: 1, deadlineMs: 1_000 }
    const error = { status: 503, headers: { 'retry-after-ms': '1' } }
    expect(decideWith(options, { error, elapsedMs: 799.2 })).toMatchObject({ reason: 'deadline' })
    expect(decideWith(options, { error, elapsedMs: 799 })).toMatchObject({ delayMs: 201 })
  })

  it('names the server’s wait, not the deadline, where the time left is no number', () => {
    const error = { status: 503, headers: { 'retry-after': '5' } }
    expect(decideWith({}, { error, elapsedMs: Number.NaN })).toMatchObject({
      reason: 'server-wait-too-long',
    })
  })
})

describe('decide, for any input', () => {
  const error = fc.oneof(
    fc.constantFrom(undefined, null, 'boom', new TypeError('fetch failed')),
    fc.record({
      status: fc.constantFrom(404, 408, 429, 500, 502, 503, 504),
      headers: fc.dictionary(
        fc.constantFrom('retry-after', 'retry-after-ms', 'x-should-retry'),
        fc.oneof(
          fc.nat().map(String),
          fc.nat(20).map(String),
          fc.constantFrom('false', 'true', 'soon', '9'.repeat(400)),
        ),
      ),
    }),
  )
  const duration = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.constant(Infinity))
  const number = fc.oneof(fc.nat(60_000), fc.double())
  const options = fc
    .record({
      baseMs: fc.double({ min: 1, max: 1e6, noNaN: true }),
      floorMs: fc.double({ min: 0, max: 1_000, noNaN: true }),
      roomMs: fc.integer({ min: 1, max: 2 ** 31 - 1_002 }),
      jitter: fc.constantFrom('full', 'equal', 'decorrelated', 'none'),
      serverWait: fc.constantFrom('add', 'max'),
      maxRetries: fc.oneof(fc.nat(9), fc.constant(Infinity)),
      deadlineMs: duration,
      maxServerWaitMs: duration,
      minAttemptMs: fc.nat(500),
      reserveMs: fc.nat(500),
      random: fc.oneof(fc.double(), fc.constantFrom(1, -1)).map(value => () => value),
    })
    .map(({ roomMs, ...rest }) => ({ ...rest, capMs: rest.floorMs + roomMs }) as RetryPolicyOptions)
  const input = fc.record({
    error,
    retryIndex: fc.oneof(fc.nat(5), fc.double()),
    elapsedMs: number,
    previousDelayMs: number,
  })

  it('gives a whole delay in [0, 2^31 - 1] that fits the deadline, is not below the floor or the server’s wait', () => {
    fc.assert(
      fc.property(options, input, (given, asked) => {
        const { options: policy, decide } = createRetryPolicy(given)
        const decision = decide(asked)
        if (!decision.retry) return
        const { delayMs, failure } = decision
        expect(Number.isInteger(delayMs)).toBe(true)
        expect(delayMs).toBeLessThanOrEqual(2 ** 31 - 1)
        expect(delayMs).toBeGreaterThanOrEqual(Math.max(policy.floorMs, failure.serverWaitMs ?? 0))
        expect(
          asked.elapsedMs + delayMs + policy.minAttemptMs + policy.reserveMs,
        ).toBeLessThanOrEqual(policy.deadlineMs + 1e-6)
      }),
      { numRuns: 3_000 },
    )
  })

  it('decides the same twice, and accepts frozen input and options', () => {
    fc.assert(
      fc.property(options, input, (given, asked) => {
        const policy = createRetryPolicy(Object.freeze(given))
        const before = structuredClone({ ...policy.options, random: 0, classify: 0 })
        Object.freeze(policy.options)
        const decision = policy.decide(Object.freeze(asked))
        expect(policy.decide(asked)).toEqual(decision)
        expect({ ...policy.options, random: 0, classify: 0 }).toEqual(before)
      }),
    )
  })
})
