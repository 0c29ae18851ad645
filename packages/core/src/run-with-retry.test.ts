import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutError, DeadlineExceededError, RetryOptionError } from './errors.ts'
import { createRetryPolicy, type RetryPolicyOptions } from './retry-policy.ts'
import {
  type Attempt,
  type RunBreaker,
  type RunEvent,
  type RunOptions,
  runWithRetry,
} from './run-with-retry.ts'
import { manualClock, seededRandom } from './testing/index.ts'

afterEach(() => vi.restoreAllMocks())

/** Runs on a manual clock until nothing moves any more, and says what became of it. */
async function converse(
  operation: (attempt: Attempt, clock: ReturnType<typeof manualClock>) => unknown,
  options: RunOptions & { abortAtMs?: number; abortReason?: unknown } = {},
) {
  const { abortAtMs, abortReason, ...runOptions } = options
  const clock = manualClock()
  const controller = new AbortController()
  const startsMs: number[] = []
  const events: RunEvent[] = []
  const run = (attempt: Attempt) => {
    startsMs.push(clock.nowMs())
    return operation(attempt, clock)
  }
  const ended = runWithRetry(run, {
    clock,
    signal: controller.signal,
    onEvent: event => events.push(event),
    ...runOptions,
  }).then(
    value => ({ value, endsAtMs: clock.nowMs() }),
    error => ({ error, endsAtMs: clock.nowMs() }),
  )
  if (abortAtMs !== undefined) {
    await clock.advance(abortAtMs)
    controller.abort(abortReason)
  }
  await clock.advance(2 ** 31)
  const ending: { value?: unknown; error?: unknown; endsAtMs: number } = await ended
  const last = events.at(-1)
  const because = last?.type === 'gave-up' ? last.stopReason : 'success'
  return { ...ending, because, startsMs, attempts: startsMs.length, events, clock }
}

/** Throws what it is given, undefined included; a 503 where it is given nothing. */
const failing =
  (...given: [error?: unknown]) =>
  () => {
    throw given.length > 0 ? given[0] : { status: 503 }
  }
const THEN = 'then'
const thenable = (then: unknown, target = {}) => Object.assign(target, { [THEN]: then })
const hang = () => new Promise(() => {})
/** Waits of 100 ms each, so that instants can be said. */
const STEADY: RetryPolicyOptions = { jitter: 'none', baseMs: 100, factor: 1, floorMs: 0 }

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

  it('draws from random where the policy is given as options', async () => {
    const random = () => 0.5
    const { startsMs } = await converse(failing(), { policy: { maxRetries: 1 }, random })
    expect(startsMs).toEqual([0, 600])
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

describe('runWithRetry with a deadline of 2,500 ms, reserve 200, attempts of 800, minimum 400', () => {
  const policy: RetryPolicyOptions = {
    deadlineMs: 2_500,
    reserveMs: 200,
    attemptTimeoutMs: 800,
    minAttemptMs: 400,
    maxRetries: 2,
    baseMs: 100,
    factor: 3,
    floorMs: 0,
    jitter: 'none',
  }
  const waitMs = (ms: number) => ({ status: 503, headers: { 'retry-after-ms': String(ms) } })
  const none = { tryWithdraw: () => false, refund() {}, recordSuccess() {} }
  const secondAnswersAfter250: Parameters<typeof converse>[0] = ({ attempt }, clock) =>
    attempt === 1 ? hang() : clock.sleep(250)

  it.each<[string, Parameters<typeof converse>[0], Parameters<typeof converse>[1], object]>([
    [
      'ends at 1,700 ms after 2 attempts that time out: no time for another',
      hang,
      {},
      { attempts: 2, endsAtMs: 1_700, because: 'deadline', error: new AttemptTimeoutError(800) },
    ],
    [
      'ends at 2,300 ms after 3 attempts with a minimum of 100: the last is limited to 300',
      hang,
      { policy: { ...policy, minAttemptMs: 100 } },
      { attempts: 3, endsAtMs: 2_300, error: new AttemptTimeoutError(300) },
    ],
    [
      'succeeds at 1,150 ms where the second attempt answers after 250',
      secondAnswersAfter250,
      {},
      { attempts: 2, endsAtMs: 1_150, because: 'success' },
    ],
    [
      'ends at 800 ms where the outcome is unknown and the operation not repeatable',
      hang,
      { isRepeatable: false },
      { attempts: 1, endsAtMs: 800, because: 'no-stable-key' },
    ],
    [
      'ends at 800 ms where the server asks for 2 s: no attempt fits',
      (_, clock) => clock.sleep(800 - 1).then(failing(waitMs(2_000))),
      {},
      { attempts: 1, endsAtMs: 799, because: 'server-wait-too-long' },
    ],
    [
      'ends at 800 ms where there is no retry token',
      hang,
      { budget: none },
      { attempts: 1, endsAtMs: 800, because: 'budget-exhausted' },
    ],
    [
      'ends at 850 ms where it is cancelled then, during the first wait',
      hang,
      { abortAtMs: 850, abortReason: 'left' },
      { attempts: 1, endsAtMs: 850, because: 'cancelled', error: 'left' },
    ],
    [
      'ends at once after a definite error',
      failing({ status: 422 }),
      {},
      { attempts: 1, endsAtMs: 0, because: 'not-retryable' },
    ],
    [
      'makes no attempt where it is cancelled before sending',
      hang,
      { signal: AbortSignal.abort('never') },
      { attempts: 0, endsAtMs: 0, because: 'cancelled', error: 'never' },
    ],
    [
      'ends after 3 attempts as exhausted',
      failing(),
      {},
      { attempts: 3, endsAtMs: 400, because: 'retries-exhausted' },
    ],
    [
      'waits 600 ms for a server wait of 500 and a draw of 100',
      ({ attempt }) => (attempt === 1 ? failing(waitMs(500))() : 'answer'),
      {},
      { attempts: 2, startsMs: [0, 600], because: 'success' },
    ],
  ])('%s', async (_, operation, options, ending) => {
    const ended = await converse(operation, { policy, ...options })
    expect(ended).toMatchObject(ending)
    expect(ended.clock.pending).toBe(0)
  })
})

describe('runWithRetry, attempt timeout', () => {
  const policy = { attemptTimeoutMs: 800, maxRetries: 0 }

  it('aborts the attempt’s signal with the error that it rejects with, even where that is ignored', async () => {
    let signal = new AbortController().signal
    const { error, endsAtMs } = await converse(
      attempt => {
        signal = attempt.signal
        return hang()
      },
      { policy },
    )
    expect(error).toMatchObject({ code: 'ATTEMPT_TIMEOUT', timeoutMs: 800 })
    expect(signal.reason).toBe(error)
    expect(endsAtMs).toBe(800)
  })

  it('hides what the attempt makes of the abort', async () => {
    const { error } = await converse(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new DOMException('mine', 'AbortError')))
        }),
      { policy },
    )
    expect(error).toBeInstanceOf(AttemptTimeoutError)
  })

  it('gives every attempt a signal and a limit of its own', async () => {
    const signals: AbortSignal[] = []
    const { startsMs } = await converse(
      attempt => {
        signals.push(attempt.signal)
        return attempt.attempt < 3 ? hang() : 'answer'
      },
      { policy: { ...STEADY, attemptTimeoutMs: 800 } },
    )
    expect(startsMs).toEqual([0, 900, 1_800])
    expect(signals.map(signal => signal.aborted)).toEqual([true, true, false])
  })

  it('forgets a late answer, and a late rejection is nobody’s', async () => {
    const onUnhandled = vi.fn()
    process.on('unhandledRejection', onUnhandled)
    const late = (attempt: Attempt, clock: ReturnType<typeof manualClock>) =>
      clock.sleep(5_000).then(() => {
        if (attempt.attempt === 1) throw new Error('late')
        return 'late'
      })
    const { error, attempts } = await converse(late, { policy: { ...policy, maxRetries: 1 } })
    await new Promise(setImmediate)
    process.off('unhandledRejection', onUnhandled)
    expect(error).toBeInstanceOf(AttemptTimeoutError)
    expect(attempts).toBe(2)
    expect(onUnhandled).not.toHaveBeenCalled()
  })

  it('does not abort the signal of an attempt that has answered: its body may still be read', async () => {
    const { value, clock } = await converse(({ signal }) => signal, { policy })
    expect((value as AbortSignal).aborted).toBe(false)
    expect(clock.pending).toBe(0)
  })
})

describe('runWithRetry, deadline', () => {
  it('is looked at again after waking: DeadlineExceededError with the last error as cause', async () => {
    const clock = manualClock()
    // A laptop that slept.
    const lateClock = {
      ...clock,
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms + 60_000, signal),
    }
    const budget = { tryWithdraw: vi.fn(() => true), refund: vi.fn(), recordSuccess: vi.fn() }
    const events: RunEvent[] = []
    const operation = vi.fn(failing({ status: 503 }))
    const ended = runWithRetry(operation, {
      clock: lateClock,
      budget,
      policy: STEADY,
      onEvent: event => events.push(event),
    }).catch(error => error)
    await clock.advance(100_000)
    const error = await ended
    expect(error).toBeInstanceOf(DeadlineExceededError)
    expect(error).toMatchObject({ cause: { status: 503 }, deadlineMs: 30_000, elapsedMs: 60_100 })
    expect(operation).toHaveBeenCalledOnce()
    expect(budget.refund).toHaveBeenCalledOnce()
    expect(events.at(-1)).toMatchObject({
      type: 'gave-up',
      stopReason: 'deadline',
      reason: 'http-503',
    })
  })

  it('stops before a wait that does not fit, with the operation’s own error', async () => {
    const { error, endsAtMs, because } = await converse(
      (_, clock) => clock.sleep(29_950).then(failing({ status: 503 })),
      { policy: STEADY },
    )
    expect({ error, endsAtMs, because }).toEqual({
      error: { status: 503 },
      endsAtMs: 29_950,
      because: 'deadline',
    })
  })

  it('cuts no attempt short by itself', async () => {
    const { value, endsAtMs } = await converse((_, clock) =>
      clock.sleep(100_000).then(() => 'slow'),
    )
    expect({ value, endsAtMs }).toEqual({ value: 'slow', endsAtMs: 100_000 })
  })
})

describe('runWithRetry, cancelling', () => {
  const reason = new Error('left the page')

  it.each<[string, Parameters<typeof converse>[0], number, number]>([
    ['during the wait', failing(), 50, 1],
    ['during an attempt that ignores it', hang, 50, 1],
    [
      'during an attempt that fails because of it',
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject('mine'))),
      50,
      1,
    ],
    [
      'during the second attempt',
      ({ attempt }) => (attempt === 1 ? failing()() : hang()),
      10_000,
      2,
    ],
  ])('gives the caller’s reason back at once, %s', async (_, operation, abortAtMs, attempts) => {
    const ended = await converse(operation, { abortAtMs, abortReason: reason })
    expect(ended.error).toBe(reason)
    expect(ended).toMatchObject({ endsAtMs: abortAtMs, attempts, because: 'cancelled' })
    expect(ended.clock.pending).toBe(0)
  })

  it('makes no attempt where it is cancelled before, and gives the reason back', async () => {
    const operation = vi.fn()
    const run = runWithRetry(operation, { signal: AbortSignal.abort(reason) })
    await expect(run).rejects.toBe(reason)
    expect(operation).not.toHaveBeenCalled()
  })

  it('hands the reason on to the attempt’s signal', async () => {
    const seen: unknown[] = []
    await converse(
      ({ signal }) => {
        signal.addEventListener('abort', () => seen.push(signal.reason))
        return hang()
      },
      { abortAtMs: 5, abortReason: reason },
    )
    expect(seen).toEqual([reason])
  })

  it('gives an AbortError back where no reason is given', async () => {
    const { error } = await converse(failing(), { abortAtMs: 50 })
    expect(error).toMatchObject({ name: 'AbortError' })
  })

  it('wins over a failure of the same turn', async () => {
    const controller = new AbortController()
    const run = runWithRetry(
      () => {
        controller.abort(reason)
        throw { status: 503 }
      },
      { signal: controller.signal },
    )
    await expect(run).rejects.toBe(reason)
  })

  it('comes too late for an answer that has arrived', async () => {
    const controller = new AbortController()
    const run = runWithRetry(() => 'answer', { signal: controller.signal })
    await run
    controller.abort(reason)
    await expect(run).resolves.toBe('answer')
  })

  it.each([
    ['ends', 0],
    ['ends too late for an attempt', 60_000],
  ])('starts nothing where it comes in the very turn in which the wait %s', async (_, lateMs) => {
    const clock = manualClock()
    const controller = new AbortController()
    const operation = vi.fn(failing())
    const sleep = (ms: number) => clock.sleep(ms + lateMs).then(() => controller.abort(reason))
    const ended = runWithRetry(operation, {
      clock: { ...clock, sleep },
      signal: controller.signal,
    }).catch(error => error)
    await clock.advance(120_000)
    expect(await ended).toBe(reason)
    expect(operation).toHaveBeenCalledOnce()
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
})

/** The simplest bucket: no refill. */
function bucket(tokens: number) {
  return {
    tokens,
    successes: 0,
    tryWithdraw() {
      const isGranted = this.tokens > 0
      if (isGranted) this.tokens--
      return isGranted
    },
    refund() {
      this.tokens++
    },
    recordSuccess() {
      this.successes++
    },
  }
}

describe('runWithRetry with a budget', () => {
  it('pays for each retry and for no first attempt, and reports the success', async () => {
    const budget = bucket(10)
    await converse(({ attempt }) => (attempt < 3 ? failing()() : 'answer'), { budget })
    expect(budget).toMatchObject({ tokens: 8, successes: 1 })
  })

  it('ends with the operation’s own error where nothing is left', async () => {
    const thrown = new Error('ECONNRESET', { cause: { status: 503 } })
    const budget = bucket(1)
    const ended = await converse(failing(thrown), { budget })
    expect(ended).toMatchObject({ attempts: 2, because: 'budget-exhausted' })
    expect(ended.error).toBe(thrown)
    expect(budget.tokens).toBe(0)
  })

  it('takes nothing for a retry that the policy refuses', async () => {
    const budget = bucket(10)
    await converse(failing({ status: 404 }), { budget })
    await converse(failing(), { budget, isRepeatable: false })
    expect(budget).toMatchObject({ tokens: 10, successes: 0 })
  })

  it('gets back what a retry that was cancelled in its wait had taken', async () => {
    const budget = bucket(10)
    await converse(failing(), { budget, abortAtMs: 100 })
    expect(budget.tokens).toBe(10)
  })

  it('gets nothing back for a retry that was sent and cancelled then', async () => {
    const budget = bucket(10)
    const failsOnce = ({ attempt }: Attempt) => (attempt === 1 ? failing()() : hang())
    await converse(failsOnce, { budget, abortAtMs: 5_000 })
    expect(budget.tokens).toBe(9)
  })

  it('lets 1,000 runs of 3 attempts make 3,000 calls without, and 1,100 with 100 retries between them', async () => {
    const calls = async (budget?: ReturnType<typeof bucket>) => {
      const clock = manualClock()
      let count = 0
      const operation = () => {
        count++
        throw { status: 503 }
      }
      const policy = { maxRetries: 2 }
      for (let n = 0; n < 1_000; n++) {
        runWithRetry(operation, { clock, budget, policy }).catch(() => {})
      }
      await clock.advance(60_000)
      return count
    }
    await expect(calls()).resolves.toBe(3_000)
    await expect(calls(bucket(100))).resolves.toBe(1_100)
  })
})

describe('runWithRetry in layers', () => {
  const layered = async (...attempts: number[]) => {
    const clock = manualClock()
    let calls = 0
    const call = attempts.reduce<() => unknown>(
      (inner, count) => () =>
        runWithRetry(inner, { clock, policy: { maxRetries: count - 1, deadlineMs: Infinity } }),
      () => {
        calls++
        throw { status: 503 }
      },
    )
    Promise.resolve(call()).catch(() => {})
    await clock.advance(10_000_000)
    return calls
  }

  it.each([
    [[3, 3, 3], 27],
    [[3, 3, 3, 3], 81],
    [[3, 3, 5], 45],
  ])('makes the product of their attempts: %j are %d calls', async (attempts, calls) => {
    await expect(layered(...attempts)).resolves.toBe(calls)
  })
})

/** Open until the instant it is given, then closed. */
function breakerOpenUntil(
  nextProbeAtMs: number | undefined,
  isOpen: () => boolean,
): RunBreaker & { refusals: number } {
  return {
    nextProbeAtMs,
    refusals: 0,
    async run(operation) {
      if (isOpen()) {
        this.refusals++
        throw Object.assign(new Error('open'), { code: 'CIRCUIT_OPEN' })
      }
      return operation()
    },
  }
}

describe('runWithRetry with a breaker', () => {
  /** One whose clock is the run's. */
  async function converseOpenUntil(
    probeAtMs: number,
    operation: Parameters<typeof converse>[0],
    options: Parameters<typeof converse>[1] = {},
  ) {
    const clock = manualClock()
    const breaker = breakerOpenUntil(probeAtMs, () => clock.nowMs() < probeAtMs)
    const startsMs: number[] = []
    const events: RunEvent[] = []
    const ended = runWithRetry(
      attempt => {
        startsMs.push(clock.nowMs())
        return operation(attempt, clock)
      },
      {
        clock,
        breaker,
        policy: STEADY,
        onEvent: event => events.push(event),
        ...options,
      },
    ).then(
      value => ({ value }),
      error => ({ error }),
    )
    await clock.advance(100_000)
    return { ...(await ended), startsMs, events, breaker, clock }
  }

  it('waits for the probe and one draw, and uses up no retry', async () => {
    const ended = await converseOpenUntil(5_000, failing(), {
      policy: { ...STEADY, maxRetries: 1 },
    })
    expect(ended.startsMs).toEqual([5_100, 5_200])
    expect(ended.breaker.refusals).toBe(1)
    expect(ended.events).toMatchObject([
      { type: 'retry-scheduled', attempt: 1, reason: 'circuit-open' },
      { type: 'attempt-failed', attempt: 1, reason: 'http-503' },
      { type: 'retry-scheduled', attempt: 2, reason: 'http-503' },
      { type: 'retry-started', attempt: 2, reason: 'http-503' },
      { type: 'attempt-failed', attempt: 2, reason: 'http-503' },
      { type: 'gave-up', attempt: 2, reason: 'http-503' },
    ])
  })

  it('takes no token for a first attempt that had to wait', async () => {
    const budget = bucket(10)
    const { startsMs } = await converseOpenUntil(5_000, () => 'answer', { budget })
    expect(startsMs).toEqual([5_100])
    expect(budget.tokens).toBe(10)
  })

  it('gives the operation’s own error back, not the breaker’s, where its retry is refused for too long', async () => {
    const thrown = { status: 503 }
    const budget = bucket(10)
    let isOpen = false
    const breaker: RunBreaker = {
      ...breakerOpenUntil(undefined, () => isOpen),
      // Opened by others during the wait.
      get nextProbeAtMs() {
        return isOpen ? 50_000 : undefined
      },
    }
    const clock = manualClock()
    const sleep = (ms: number, signal?: AbortSignal) => {
      const slept = clock.sleep(ms, signal)
      isOpen = true
      return slept
    }
    const operation = vi.fn(failing(thrown))
    const ended = runWithRetry(operation, { clock: { ...clock, sleep }, breaker, budget }).catch(
      error => error,
    )
    await clock.advance(60_000)
    expect(await ended).toBe(thrown)
    expect(operation).toHaveBeenCalledOnce()
    expect(budget.tokens).toBe(10)
  })

  it('gives the breaker’s own error back at once where the probe does not fit the deadline', async () => {
    const { error, startsMs, events } = (await converseOpenUntil(50_000, failing())) as {
      error: unknown
      startsMs: number[]
      events: RunEvent[]
    }
    expect(error).toMatchObject({ code: 'CIRCUIT_OPEN' })
    expect(startsMs).toEqual([])
    expect(events).toEqual([
      {
        type: 'gave-up',
        attempt: 0,
        elapsedMs: 0,
        reason: 'circuit-open',
        stopReason: 'circuit-open',
      },
    ])
  })

  it('stops at once with the operation’s own error where its failure opened the circuit for too long', async () => {
    const budget = bucket(10)
    let isOpen = false
    const breaker = breakerOpenUntil(50_000, () => isOpen)
    const thrown = { status: 503 }
    const operation = () => {
      isOpen = true
      throw thrown
    }
    const ended = await converse(operation, { breaker, budget })
    expect(ended).toMatchObject({ because: 'circuit-open', attempts: 1, endsAtMs: 0 })
    expect(ended.error).toBe(thrown)
    expect(budget.tokens).toBe(10)
  })

  it('lets the wait for a retry last until the probe, and pays for that retry once', async () => {
    const budget = bucket(10)
    let isOpen = false
    const clock = manualClock()
    const breaker = breakerOpenUntil(5_000, () => isOpen && clock.nowMs() < 7_000)
    const startsMs: number[] = []
    const ended = runWithRetry(
      () => {
        startsMs.push(clock.nowMs())
        if (isOpen) return 'answer'
        isOpen = true
        throw { status: 503 }
      },
      { clock, breaker, budget, policy: STEADY },
    )
    await clock.advance(10_000)
    await expect(ended).resolves.toBe('answer')
    // Refused at 5,100 and, since the instant of the probe has passed, every 100 ms until 7,000.
    expect(startsMs).toEqual([0, 7_000])
    expect(breaker.refusals).toBe(19)
    expect(budget.tokens).toBe(9)
  })

  it.each([
    ['over as long again', 30_000, 10_000],
    ['within their deadline, where that leaves less', 7_000, 7_000],
  ])('spreads 1,000 runs that wait 5 s for a probe %s', async (_, deadlineMs, latestMs) => {
    const clock = manualClock()
    const breaker = breakerOpenUntil(5_000, () => clock.nowMs() < 5_000)
    const perSecond = Array.from({ length: 11 }, () => 0)
    const operation = () => {
      const second = Math.floor(clock.nowMs() / 1_000)
      perSecond[second] = (perSecond[second] ?? 0) + 1
    }
    const random = seededRandom(1)
    for (let n = 0; n < 1_000; n++) {
      runWithRetry(operation, { clock, breaker, random, policy: { deadlineMs } })
    }
    await clock.advance(60_000)
    const share = 1_000 / (latestMs / 1_000 - 5)
    const busy = perSecond.slice(5, latestMs / 1_000)
    expect(busy.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(999)
    for (const count of busy) expect(Math.abs(count - share)).toBeLessThan(0.2 * share)
  })

  it('asks again after a draw while half-open, since a probe that ends makes room early', async () => {
    const clock = manualClock()
    let isTaken = true
    clock.sleep(250).then(() => {
      isTaken = false
    })
    const breaker = { ...breakerOpenUntil(10_000, () => isTaken), state: 'half-open' }
    const ended = runWithRetry(() => clock.nowMs(), { clock, breaker, policy: STEADY })
    await clock.advance(1_000)
    await expect(ended).resolves.toBe(300)
  })

  it.each([undefined, 0, NaN, -1])(
    'does not spin where a refusing breaker’s probe is due at %s',
    async nextProbeAtMs => {
      const breaker = breakerOpenUntil(nextProbeAtMs, () => true)
      const policy = { floorMs: 0, deadlineMs: 1_000, jitter: 'full' as const }
      const { endsAtMs } = await converse(failing(), { breaker, policy, random: () => 0 })
      expect(endsAtMs).toBeGreaterThan(998)
      expect(breaker.refusals).toBeLessThanOrEqual(1_001)
    },
  )

  it('gives back the token of a retry that it never let through', async () => {
    const budget = bucket(10)
    let isOpen = false
    const breaker = breakerOpenUntil(undefined, () => isOpen)
    const operation = () => {
      isOpen = true
      throw { status: 503 }
    }
    const ended = await converse(operation, { breaker, budget, abortAtMs: 20_000 })
    expect(ended).toMatchObject({ because: 'cancelled', attempts: 1 })
    expect(budget.tokens).toBe(10)
  })

  it('takes the refusal of a circuit inside the operation for a failure like any other', async () => {
    const refusal = Object.assign(new Error('open'), { code: 'CIRCUIT_OPEN' })
    const breaker = breakerOpenUntil(undefined, () => false)
    const ended = await converse(failing(refusal), { breaker })
    expect(ended).toMatchObject({ attempts: 1, because: 'not-retryable', endsAtMs: 0 })
    expect(ended.error).toBe(refusal)
  })

  it('ends the wait for a probe at once where it is cancelled', async () => {
    const breaker = breakerOpenUntil(5_000, () => true)
    const ended = await converse(failing(), { breaker, abortAtMs: 1_000, abortReason: 'left' })
    expect(ended).toMatchObject({ error: 'left', endsAtMs: 1_000, attempts: 0 })
    expect(ended.clock.pending).toBe(0)
  })

  it('hands the caller’s signal to it, and an attempt’s timeout as a failure of the attempt', async () => {
    const seen: unknown[] = []
    const { signal } = new AbortController()
    const breaker: RunBreaker = {
      nextProbeAtMs: undefined,
      run: (operation, options) => {
        seen.push(options.signal === signal)
        return operation().catch(error => {
          seen.push(error.code)
          throw error
        })
      },
    }
    await converse(hang, { breaker, signal, policy: { maxRetries: 0, attemptTimeoutMs: 5 } })
    expect(seen).toEqual([true, 'ATTEMPT_TIMEOUT'])
  })

  it('ends after maxRetries where the breaker itself fails, for instance its shared store', async () => {
    const run = vi.fn(() => Promise.reject({ status: 503 }))
    const operation = vi.fn()
    const budget = bucket(10)
    const ended = await converse(operation, { breaker: { run, nextProbeAtMs: undefined }, budget })
    expect(budget.tokens).toBe(10)
    expect(ended).toMatchObject({ because: 'retries-exhausted', error: { status: 503 } })
    expect(run).toHaveBeenCalledTimes(5)
    expect(operation).not.toHaveBeenCalled()
  })
})

describe('runWithRetry, events', () => {
  it('tells of a run that recovers', async () => {
    const { events } = await converse(
      ({ attempt }) => (attempt === 1 ? failing({ status: 429 })() : 'answer'),
      { policy: STEADY },
    )
    const reason = 'http-429'
    expect(events).toEqual([
      { type: 'attempt-failed', attempt: 1, elapsedMs: 0, reason },
      {
        type: 'retry-scheduled',
        attempt: 2,
        elapsedMs: 0,
        reason,
        delayMs: 100,
        source: 'backoff',
      },
      { type: 'retry-started', attempt: 2, elapsedMs: 100, reason },
      { type: 'recovered', attempt: 2, elapsedMs: 100, reason },
    ])
  })

  it('tells why a run gave up', async () => {
    const { events } = await converse(failing({ status: 404 }))
    expect(events).toEqual([
      { type: 'attempt-failed', attempt: 1, elapsedMs: 0, reason: 'http-404' },
      {
        type: 'gave-up',
        attempt: 1,
        elapsedMs: 0,
        reason: 'http-404',
        stopReason: 'not-retryable',
      },
    ])
  })

  it('tells of a run that was cancelled before its first attempt as attempt 0', async () => {
    const { events } = await converse(hang, { signal: AbortSignal.abort() })
    expect(events).toMatchObject([{ type: 'gave-up', attempt: 0, stopReason: 'cancelled' }])
  })

  it('carries no message, header or payload', async () => {
    const headers = { authorization: 'secret', 'retry-after': '1' }
    const thrown = Object.assign(new Error('secret'), { status: 503, headers, data: 'secret' })
    const { events } = await converse(failing(thrown))
    expect(events.length).toBeGreaterThan(5)
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  it.each<[string, () => void]>([
    ['throws', failing('from the listener')],
    ['rejects', () => Promise.reject('from the listener')],
  ])('reports a listener that %s, and goes on', async (_, onEvent) => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { attempts, error } = await converse(failing(), { onEvent })
    expect({ attempts, error }).toEqual({ attempts: 5, error: { status: 503 } })
    expect(reported).toHaveBeenCalledWith('[query-retry] caught', 'from the listener')
  })

  it('ends with the operation’s error where classify throws; the mistake goes to events and console', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    const mistake = new Error('mistake')
    const thrown = { status: 503 }
    const { error, events } = await converse(failing(thrown), {
      policy: { classify: failing(mistake) as () => never },
    })
    expect(error).toBe(thrown)
    expect(events.at(-1)).toMatchObject({ stopReason: 'not-retryable', optionError: mistake })
    expect(reported).toHaveBeenCalledWith('[query-retry] caught', mistake)
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

describe('runWithRetry, for any policy and any failures', () => {
  const policies = fc.record(
    {
      maxRetries: fc.integer({ min: 0, max: 8 }),
      baseMs: fc.integer({ min: 1, max: 5_000 }),
      floorMs: fc.integer({ min: 0, max: 300 }),
      capMs: fc.integer({ min: 300, max: 20_000 }),
      deadlineMs: fc.integer({ min: 1, max: 60_000 }),
      reserveMs: fc.integer({ min: 0, max: 500 }),
      minAttemptMs: fc.integer({ min: 0, max: 500 }),
      attemptTimeoutMs: fc.integer({ min: 1, max: 5_000 }),
      jitter: fc.constantFrom('full', 'equal', 'decorrelated', 'none'),
      serverWait: fc.constantFrom('add', 'max'),
    },
    { requiredKeys: ['capMs'] },
  ) as fc.Arbitrary<RetryPolicyOptions>
  const steps = fc.array(
    fc.record({
      takesMs: fc.integer({ min: 0, max: 8_000 }),
      outcome: fc.oneof(
        fc.constant('answer'),
        fc.constantFrom(undefined, 'boom', { status: 503 }, { status: 429 }, { status: 404 }),
        fc.integer({ min: 0, max: 30_000 }).map(ms => ({
          status: 503,
          headers: { 'retry-after-ms': String(ms) },
        })),
      ),
    }),
    { minLength: 9, maxLength: 9 },
  )

  it('keeps attempt numbers, waits, deadline and budget in their bounds, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        policies,
        steps,
        fc.integer(),
        fc.option(fc.integer({ min: 0, max: 40_000 }), { nil: undefined }),
        fc.integer({ min: 0, max: 5 }),
        async (given, script, seed, abortAtMs, tokens) => {
          const policy = createRetryPolicy({ ...given, random: seededRandom(seed) })
          const budget = bucket(tokens)
          const numbers: number[] = []
          const ended = await converse(
            async ({ attempt, timeoutMs, remainingMs }, clock) => {
              numbers.push(attempt)
              const elapsedMs = clock.nowMs()
              expect(remainingMs).toBe(
                policy.options.deadlineMs - policy.options.reserveMs - elapsedMs,
              )
              if (attempt > 1) {
                expect(remainingMs).toBeGreaterThanOrEqual(policy.options.minAttemptMs)
              }
              expect(timeoutMs ?? 1).toBeGreaterThan(0)
              const { takesMs, outcome } = script[attempt - 1] as {
                takesMs: number
                outcome: unknown
              }
              await clock.sleep(takesMs)
              if (outcome !== 'answer') throw outcome
              return outcome
            },
            { policy, budget, abortAtMs },
          )
          const { maxRetries, floorMs, capMs } = policy.options
          expect(numbers).toEqual(numbers.map((_, index) => index + 1))
          expect(numbers.length).toBeLessThanOrEqual(Math.min(maxRetries, tokens) + 1)
          expect(tokens - budget.tokens).toBe(Math.max(0, numbers.length - 1))
          expect(budget.successes).toBe('value' in ended ? 1 : 0)
          for (const event of ended.events) {
            if (event.type !== 'retry-scheduled') continue
            expect(Number.isInteger(event.delayMs)).toBe(true)
            expect(event.delayMs).toBeGreaterThanOrEqual(floorMs)
            if (event.source === 'backoff') expect(event.delayMs).toBeLessThanOrEqual(capMs)
          }
          const abandoned = abortAtMs !== undefined || policy.options.attemptTimeoutMs !== undefined
          if (!abandoned) expect(ended.clock.pending).toBe(0)
        },
      ),
      { numRuns: 500 },
    )
  })
})
