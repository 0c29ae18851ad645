import { describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutError, RetryOptionError } from './errors.ts'
import { createRetryPolicy } from './retry-policy.ts'
import { type Attempt, type RunOptions, runWithRetry } from './run-with-retry.ts'
import { converse, failing, hang, STEADY, THEN, thenable } from './testing-support/converse.ts'

describe('runWithRetry', () => {
  it('gives back what the first attempt returns, and has nothing to tell', async () => {
    const told: Attempt[] = []
    const { value, events } = await converse(attempt => {
      told.push(attempt)
      return 'answer'
    })
    expect(value).toBe('answer')
    expect(told).toEqual([
      { attempt: 1, signal: expect.any(AbortSignal), timeoutMs: undefined, remainingMs: 30_000 },
    ])
    expect(events).toEqual([])
  })

  it('numbers attempts from 1 and says what time each has', async () => {
    const told: Partial<Attempt>[] = []
    await converse(
      ({ signal, ...attempt }) => {
        told.push(attempt)
        throw { status: 503 }
      },
      {
        policy: {
          ...STEADY,
          maxRetries: 2,
          deadlineMs: 1_000,
          reserveMs: 100,
          attemptTimeoutMs: 750,
        },
      },
    )
    expect(told).toEqual([
      { attempt: 1, timeoutMs: 750, remainingMs: 900 },
      { attempt: 2, timeoutMs: 750, remainingMs: 800 },
      { attempt: 3, timeoutMs: 700, remainingMs: 700 },
    ])
  })

  it('has Infinity left without a deadline', async () => {
    const { value } = await converse(({ remainingMs }) => remainingMs, {
      policy: { deadlineMs: Infinity },
    })
    expect(value).toBe(Infinity)
  })

  it.each<[string, unknown]>([
    ['an error', new Error('boom')],
    ['a frozen error', Object.freeze(new Error('boom'))],
    ['an answer with a status', { status: 503 }],
    ['undefined', undefined],
    ['null', null],
    ['NaN', NaN],
    ['text', 'boom'],
    ['an abort of the operation’s own', new DOMException('stop', 'AbortError')],
    ['a proxy that throws', new Proxy({}, { get: failing(new Error('trap')) })],
    ['another circuit’s refusal', Object.assign(new Error('open'), { code: 'CIRCUIT_OPEN' })],
  ])('gives the operation’s last error back untouched: %s', async (_, thrown) => {
    const ending = await converse(failing(thrown))
    expect('value' in ending).toBe(false)
    expect(Object.is(ending.error, thrown)).toBe(true)
  })

  it('gives back the last error, not the first', async () => {
    const { error, attempts } = await converse(({ attempt }) => {
      throw { status: 503, attempt }
    })
    expect(error).toEqual({ status: 503, attempt: 5 })
    expect(attempts).toBe(5)
  })

  it('uses a policy that was built before, its random included', async () => {
    const policy = createRetryPolicy({ maxRetries: 1, random: () => 0.5 })
    const { startsMs } = await converse(failing(), { policy })
    expect(startsMs).toEqual([0, 600])
  })

  it('retries by a policy made by hand, whose options say nothing of time', async () => {
    const made = createRetryPolicy(STEADY)
    const policy = { ...made, options: {} as typeof made.options }
    const operation = ({ attempt }: Attempt) => (attempt < 3 ? failing()() : 'answer')
    expect(await converse(operation, { policy })).toMatchObject({ value: 'answer', attempts: 3 })
  })

  it('draws from random where the policy is given as options', async () => {
    const random = () => 0.5
    const { startsMs } = await converse(failing(), { policy: { maxRetries: 1 }, random })
    expect(startsMs).toEqual([0, 600])
  })

  it.each([
    { own: 0, given: 0.5, startsMs: [0, 200] },
    { own: undefined, given: 0.5, startsMs: [0, 600] },
  ])('draws from its own random $own before that of the policy’s options', async row => {
    const { startsMs } = await converse(failing(), {
      policy: { maxRetries: 1, random: () => row.given },
      random: row.own === undefined ? undefined : () => row.own,
    })
    expect(startsMs).toEqual(row.startsMs)
  })

  it('chains decorrelated draws, not the waits that a server’s wait has made longer', async () => {
    const error = { status: 429, headers: { 'retry-after': '2' } }
    const { startsMs } = await converse(failing(error), {
      policy: { jitter: 'decorrelated', maxRetries: 2, deadlineMs: Infinity, capMs: 60_000 },
      random: () => 0.999_999,
    })
    expect(startsMs).toEqual([0, 5_000, 16_000])
  })

  it('chains decorrelated draws', async () => {
    const { startsMs } = await converse(failing(), {
      policy: { jitter: 'decorrelated', maxRetries: 2, deadlineMs: Infinity, capMs: 60_000 },
      random: () => 0.999_999,
    })
    expect(startsMs).toEqual([0, 3_000, 3_000 + 9_000])
  })

  it('measures a Retry-After date with its clock', async () => {
    const headers = { 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }
    const { startsMs } = await converse(failing({ status: 503, headers }), {
      policy: { ...STEADY, maxRetries: 1 },
    })
    expect(startsMs).toEqual([0, 10_100])
  })
})

describe('runWithRetry, operations that are not asynchronous functions', () => {
  it.each<[string, (attempt: Attempt) => unknown, unknown]>([
    ['a plain value', () => 7, 7],
    ['undefined', () => undefined, undefined],
    ['a thenable', () => thenable((done: (value: number) => void) => done(7)), 7],
    [
      'a thenable that answers twice',
      () => thenable((done: (value: number) => void) => [done(7), done(8)]),
      7,
    ],
    ['a function', () => hang, hang],
  ])('gives back %s', async (_, operation, value) => {
    await expect(converse(operation)).resolves.toMatchObject({ value, attempts: 1 })
  })

  it.each<[string, () => unknown]>([
    ['throws at once', failing()],
    ['rejects', () => Promise.reject({ status: 503 })],
    [
      'returns a thenable that rejects',
      () => thenable((_: unknown, fail: (error: unknown) => void) => fail({ status: 503 })),
    ],
    ['returns a thenable whose then throws', () => thenable(failing())],
    [
      'returns a thenable whose then cannot be read',
      () => Object.defineProperty({}, THEN, { get: failing() }),
    ],
    ['returns a promise whose then throws', () => thenable(failing(), Promise.resolve())],
  ])('retries one that %s', async (_, operation) => {
    const { error, attempts, because } = await converse(operation)
    expect(error).toEqual({ status: 503 })
    expect({ attempts, because }).toEqual({ attempts: 5, because: 'retries-exhausted' })
  })

  it('retries what throws undefined, where classify says that it may', async () => {
    const ending = await converse(failing(undefined), {
      policy: {
        maxRetries: 1,
        classify: () => ({ kind: 'unknown', retryable: true, reason: 'mine', effect: 'none' }),
      },
    })
    expect(ending).toMatchObject({ attempts: 2, because: 'retries-exhausted', error: undefined })
  })

  it('limits a thenable that never answers', async () => {
    const { error, endsAtMs } = await converse(() => thenable(() => {}), {
      policy: { attemptTimeoutMs: 800, maxRetries: 0 },
    })
    expect(error).toBeInstanceOf(AttemptTimeoutError)
    expect(endsAtMs).toBe(800)
  })
})

describe('runWithRetry, isRepeatable: false', () => {
  it.each<[string, unknown, number, string]>([
    ['a timeout', new AttemptTimeoutError(1), 1, 'no-stable-key'],
    ['a lost connection', new TypeError('fetch failed'), 1, 'no-stable-key'],
    ['a 503', { status: 503 }, 1, 'no-stable-key'],
    ['a 429, turned away before the work', { status: 429 }, 5, 'retries-exhausted'],
    ['a definite refusal', { status: 422 }, 1, 'not-retryable'],
    [
      'a refusal that asks to be repeated',
      { status: 422, headers: { 'x-should-retry': 'true' } },
      5,
      'retries-exhausted',
    ],
  ])('after %s: attempts %#', async (_, thrown, attempts, because) => {
    const ended = await converse(failing(thrown), { isRepeatable: false })
    expect(ended).toMatchObject({ attempts, because, error: thrown })
  })

  it('takes a failure whose effect `classify` does not tell for one that may have happened', async () => {
    const classify = () => ({ kind: 'http', retryable: true, reason: 'x' }) as never
    const ended = await converse(failing({ status: 503 }), {
      isRepeatable: false,
      policy: { classify },
    })
    expect(ended).toMatchObject({ attempts: 1, because: 'no-stable-key' })
  })
})

describe('runWithRetry, options', () => {
  it.each<[string, object, RegExp]>([
    ['policy', { policy: 5 }, /^policy must be an object, but is 5$/],
    ['policy', { policy: null }, /policy/],
    ['budget', { budget: true }, /budget/],
    ['breaker', { breaker: () => {} }, /breaker must be an object, but is a function/],
    ['signal', { signal: 'abort' }, /signal/],
    ['isRepeatable', { isRepeatable: 'no' }, /isRepeatable must be true or false/],
    ['clock', { clock: 0 }, /clock/],
    ['random', { random: 0.5 }, /random must be a function/],
    ['onEvent', { onEvent: {} }, /onEvent/],
    ['maxRetries', { policy: { maxRetries: -1 } }, /maxRetries must be a whole number from 0/],
    ['deadlineMs', { policy: { deadlineMs: '30s' } }, /deadlineMs/],
  ])(
    'rejects with a RetryOptionError that names %s, and sends nothing: %#',
    async (option, options, text) => {
      const operation = vi.fn()
      const error = await runWithRetry(operation, options as RunOptions).catch(error => error)
      expect(error).toBeInstanceOf(RetryOptionError)
      expect(error.option).toBe(option)
      expect(error.message).toMatch(text)
      expect(operation).not.toHaveBeenCalled()
    },
  )

  it('rejects an operation that is no function', async () => {
    await expect(runWithRetry(Promise.resolve() as never)).rejects.toMatchObject({
      option: 'operation',
    })
  })

  it('takes undefined for every option as its default', async () => {
    const options = Object.fromEntries(
      ['policy', 'budget', 'breaker', 'signal', 'isRepeatable', 'clock', 'random', 'onEvent'].map(
        option => [option, undefined],
      ),
    )
    await expect(runWithRetry(({ attempt }) => attempt, options)).resolves.toBe(1)
  })
})
