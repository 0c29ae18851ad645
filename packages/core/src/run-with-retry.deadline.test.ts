import { describe, expect, it, vi } from 'vitest'
import { AttemptTimeoutError, DeadlineExceededError } from './errors.ts'
import type { RetryPolicyOptions } from './retry-policy.ts'
import { type Attempt, type RunEvent, runWithRetry } from './run-with-retry.ts'
import { manualClock } from './testing/index.ts'
import { converse, failing, hang, STEADY } from './testing-support/converse.ts'

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
