import { describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutError, DeadlineExceededError } from './errors.ts'
import type { RetryPolicyOptions } from './retry-policy.ts'
import { type Attempt, type RunEvent, runWithRetry } from './run-with-retry.ts'
import { manualClock } from './testing/index.ts'
import { bucket } from './testing-support/bucket.ts'
import { converse, failing, hang, STEADY } from './testing-support/converse.ts'

describe('runWithRetry with 2,500 ms in all, 200 ms reserve, attempts of 800 ms, 3 at most, waits of 100 and 300 ms, 400 ms for a new attempt', () => {
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
  const asksFor = (ms: number) => ({ status: 503, headers: { 'retry-after-ms': String(ms) } })

  interface Row {
    row: string
    operation: Parameters<typeof converse>[0]
    options?: Parameters<typeof converse>[1]
    attempts: number
    endsAtMs: number
    because: string
    ending?: object
  }
  const rows: Row[] = [
    {
      row: 'every attempt times out',
      operation: hang,
      attempts: 2,
      endsAtMs: 1_700,
      because: 'deadline',
      ending: { error: new AttemptTimeoutError(800) },
    },
    {
      row: 'the same, minimum 100 ms: the last attempt is limited to 300 ms',
      operation: hang,
      options: { policy: { ...policy, minAttemptMs: 100 } },
      attempts: 3,
      endsAtMs: 2_300,
      because: 'retries-exhausted',
      ending: { error: new AttemptTimeoutError(300) },
    },
    {
      row: 'first times out, second answers after 250 ms',
      operation: ({ attempt }, clock) =>
        attempt === 1 ? hang() : clock.sleep(250).then(() => 'answer'),
      attempts: 2,
      endsAtMs: 1_150,
      because: 'success',
      ending: { value: 'answer' },
    },
    {
      row: 'timeout, effect not repeatable',
      operation: hang,
      options: { isRepeatable: false },
      attempts: 1,
      endsAtMs: 800,
      because: 'no-stable-key',
    },
    {
      row: 'at 800 ms the server asks for 2 s',
      operation: (_, clock) => clock.sleep(800).then(failing(asksFor(2_000))),
      // One that lets the answer of that very millisecond through.
      options: { policy: { ...policy, attemptTimeoutMs: 801 } },
      attempts: 1,
      endsAtMs: 800,
      because: 'server-wait-too-long',
      ending: { error: asksFor(2_000) },
    },
    {
      row: 'no retry token after the first failure',
      operation: hang,
      options: { budget: bucket(0) },
      attempts: 1,
      endsAtMs: 800,
      because: 'budget-exhausted',
      ending: { error: new AttemptTimeoutError(800) },
    },
    {
      row: 'cancelled at 850 ms, during the first wait',
      operation: hang,
      options: { abortAtMs: 850, abortReason: 'left' },
      attempts: 1,
      endsAtMs: 850,
      because: 'cancelled',
      ending: { error: 'left' },
    },
    {
      row: 'definite error',
      operation: failing({ status: 422 }),
      attempts: 1,
      endsAtMs: 0,
      because: 'not-retryable',
      ending: { error: { status: 422 } },
    },
    {
      row: 'cancelled before sending',
      operation: hang,
      options: { signal: AbortSignal.abort('never') },
      attempts: 0,
      endsAtMs: 0,
      because: 'cancelled',
      ending: { error: 'never' },
    },
    {
      row: 'attempts used up',
      operation: failing(),
      attempts: 3,
      endsAtMs: 400,
      because: 'retries-exhausted',
      ending: { startsMs: [0, 100, 400] },
    },
    {
      row: 'server wait 500 ms, jitter draw 100 ms: next attempt after 600 ms',
      operation: ({ attempt }) => (attempt === 1 ? failing(asksFor(500))() : 'answer'),
      attempts: 2,
      endsAtMs: 600,
      because: 'success',
      ending: { startsMs: [0, 600] },
    },
  ]

  it.each(rows.map((row, index) => ({ number: index + 1, ...row })))(
    'D$number. $row: attempts $attempts, ends at $endsAtMs ms, $because',
    async ({ operation, options, attempts, endsAtMs, because, ending = {} }) => {
      const ended = await converse(operation, { policy, ...options })
      expect(ended).toMatchObject({ attempts, endsAtMs, because, ...ending })
      expect(ended.clock.pending).toBe(0)
    },
  )
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
  it('counts from the call, also on a clock that has run for an hour', async () => {
    const clock = manualClock()
    await clock.advance(3_600_000)
    const operation = ({ attempt, remainingMs }: Attempt) =>
      attempt < 2 ? failing()() : remainingMs
    const run = runWithRetry(operation, { clock, policy: STEADY })
    await clock.advance(60_000)
    await expect(run).resolves.toBe(29_900)
  })

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

  it.each([
    { lateMs: 899, because: 'retries-exhausted', attempts: 2 },
    { lateMs: 900, because: 'retries-exhausted', attempts: 2 },
    { lateMs: 901, because: 'deadline', attempts: 1 },
  ])(
    'sends nothing where a timer that fired $lateMs ms late leaves less than minAttemptMs: $because',
    async ({ lateMs, because, attempts }) => {
      const clock = manualClock()
      const stopReasons: unknown[] = []
      const operation = vi.fn(failing())
      const ended = runWithRetry(operation, {
        clock: { ...clock, sleep: ms => clock.sleep(ms + lateMs) },
        policy: { ...STEADY, maxRetries: 1, deadlineMs: 2_000, minAttemptMs: 800, reserveMs: 200 },
        onEvent: event => event.type === 'gave-up' && stopReasons.push(event.stopReason),
      }).catch(() => {})
      await clock.advance(5_000)
      await ended
      expect(operation).toHaveBeenCalledTimes(attempts)
      expect(stopReasons).toEqual([because])
    },
  )

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
