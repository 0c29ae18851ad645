import { describe, expect, it } from 'vitest'
import { attemptLimitMs, canAttemptAfter, timeLeftMs } from './deadline.ts'
import { AttemptTimeoutError } from './errors.ts'
import { createRetryPolicy, type RetryPolicyOptions, type StopReason } from './retry-policy.ts'
import { type ManualClock, manualClock } from './testing/index.ts'

const OPTIONS = { deadlineMs: 2_500, reserveMs: 200, minAttemptMs: 400, attemptTimeoutMs: 800 }

describe('timeLeftMs', () => {
  it.each([
    [0, 2_300],
    [2_300, 0],
    [2_500, -200],
  ])('counts to the deadline less the reserve: at %d ms %d are left', (elapsedMs, leftMs) => {
    expect(timeLeftMs(OPTIONS, elapsedMs)).toBe(leftMs)
  })

  it('is Infinity without a deadline', () => {
    expect(timeLeftMs({ ...OPTIONS, deadlineMs: Infinity }, 1e9)).toBe(Infinity)
  })
})

describe('canAttemptAfter', () => {
  it('needs the wait and the minimum to fit, to the millisecond', () => {
    expect(canAttemptAfter(OPTIONS, 1_000, 900)).toBe(true)
    expect(canAttemptAfter(OPTIONS, 1_000, 901)).toBe(false)
    expect(canAttemptAfter(OPTIONS, 1_001, 900)).toBe(false)
  })
})

describe('attemptLimitMs', () => {
  it.each([
    [0, 800],
    [1_500, 800],
    [2_000, 300],
    [2_299.5, 1],
    [2_600, 1],
  ])('limits an attempt that starts at %d ms to %d ms', (elapsedMs, limitMs) => {
    expect(attemptLimitMs(OPTIONS, timeLeftMs(OPTIONS, elapsedMs))).toBe(limitMs)
  })

  it('sets no limit where none is asked for, however little time is left', () => {
    expect(attemptLimitMs({ ...OPTIONS, attemptTimeoutMs: undefined }, 1)).toBeUndefined()
  })
})

/** What an attempt does: never answers, answers, fails at once or fails when it is due. */
type Script = 'hang' | { answersAfterMs: number } | { fails: unknown; afterMs?: number }

interface Ending {
  attempts: number
  endsAtMs: number
  because: StopReason | 'success'
  limitsMs: (number | undefined)[]
}

const VIRTUAL: RetryPolicyOptions = {
  ...OPTIONS,
  maxRetries: 2,
  floorMs: 0,
  baseMs: 100,
  factor: 3,
  jitter: 'none',
}

/** The smallest loop over `decide` and the deadline functions: what any caller of core has to do. */
async function converse(
  clock: ManualClock,
  overrides: RetryPolicyOptions,
  script: Script[],
  signal = new AbortController().signal,
): Promise<Ending> {
  const { options, decide } = createRetryPolicy({ ...VIRTUAL, ...overrides })
  const limitsMs: (number | undefined)[] = []
  const end = (because: Ending['because']) => ({
    attempts: limitsMs.length,
    endsAtMs: clock.nowMs(),
    because,
    limitsMs,
  })
  if (signal.aborted) return end('cancelled')
  for (const [retryIndex, step] of script.entries()) {
    const limitMs = attemptLimitMs(options, timeLeftMs(options, clock.nowMs()))
    limitsMs.push(limitMs)
    let error: unknown
    if (step === 'hang') {
      await clock.sleep(limitMs ?? Infinity)
      error = new AttemptTimeoutError(limitMs ?? Infinity)
    } else if ('answersAfterMs' in step) {
      await clock.sleep(step.answersAfterMs)
      return end('success')
    } else {
      await clock.sleep(step.afterMs ?? 0)
      error = step.fails
    }
    const decision = decide({ error, retryIndex, elapsedMs: clock.nowMs() })
    if (!decision.retry) return end(decision.reason)
    try {
      await clock.sleep(decision.delayMs, signal)
    } catch {
      return end('cancelled')
    }
  }
  throw new Error('The script is too short.')
}

const HANGS: Script[] = ['hang', 'hang', 'hang', 'hang']
const serverAsks = (ms: number) => ({ status: 503, headers: { 'retry-after-ms': String(ms) } })

describe('decide with a deadline of 2,500 ms, reserve 200, attempts of 800, minimum 400', () => {
  it.each<{ name: string; script: Script[]; overrides?: RetryPolicyOptions; ending: object }>([
    {
      name: 'ends at 1,700 ms after 2 attempts that time out: no time for another',
      script: HANGS,
      ending: { attempts: 2, endsAtMs: 1_700, because: 'deadline' },
    },
    {
      name: 'ends at 2,300 ms after 3 attempts with a minimum of 100: the last is limited to 300',
      script: HANGS,
      overrides: { minAttemptMs: 100 },
      ending: { attempts: 3, endsAtMs: 2_300, limitsMs: [800, 800, 300] },
    },
    {
      name: 'succeeds at 1,150 ms where the second attempt answers after 250',
      script: ['hang', { answersAfterMs: 250 }],
      ending: { attempts: 2, endsAtMs: 1_150, because: 'success' },
    },
    {
      name: 'ends at 800 ms where the server asks for 2 s: no attempt fits',
      script: [{ fails: serverAsks(2_000), afterMs: 800 }],
      ending: { attempts: 1, endsAtMs: 800, because: 'server-wait-too-long' },
    },
    {
      name: 'ends at once after a definite error',
      script: [{ fails: { status: 422 } }],
      ending: { attempts: 1, endsAtMs: 0, because: 'not-retryable' },
    },
    {
      name: 'ends after 3 attempts as exhausted where each fails at once',
      script: Array.from({ length: 4 }, () => ({ fails: { status: 503 } })),
      ending: { attempts: 3, endsAtMs: 400, because: 'retries-exhausted' },
    },
    {
      name: 'waits 600 ms for a server wait of 500 and a draw of 100',
      script: [{ fails: serverAsks(500) }, { answersAfterMs: 0 }],
      ending: { attempts: 2, endsAtMs: 600, because: 'success' },
    },
    {
      name: 'goes on without limit where there is neither deadline nor attempt timeout',
      script: [{ fails: { status: 503 }, afterMs: 1e9 }, { answersAfterMs: 0 }],
      overrides: { deadlineMs: Infinity, attemptTimeoutMs: undefined },
      ending: {
        attempts: 2,
        endsAtMs: 1e9 + 100,
        because: 'success',
        limitsMs: [undefined, undefined],
      },
    },
  ])('$name', async ({ script, overrides = {}, ending }) => {
    const clock = manualClock()
    const ended = converse(clock, overrides, script)
    await clock.advance(2e9)
    await expect(ended).resolves.toMatchObject(ending)
    expect(clock.pending).toBe(0)
  })

  it('makes no new attempt where it is cancelled at 850 ms, during the first wait', async () => {
    const clock = manualClock()
    const controller = new AbortController()
    const ended = converse(clock, {}, HANGS, controller.signal)
    await clock.advance(850)
    controller.abort()
    await expect(ended).resolves.toMatchObject({
      attempts: 1,
      endsAtMs: 850,
      because: 'cancelled',
    })
    expect(clock.pending).toBe(0)
  })

  it('makes no attempt where it is cancelled before sending', async () => {
    const clock = manualClock()
    await expect(converse(clock, {}, HANGS, AbortSignal.abort())).resolves.toMatchObject({
      attempts: 0,
      endsAtMs: 0,
    })
  })

  it('ends at the same time where the wall clock is set back by a day in between', async () => {
    const clock = manualClock({ epochMs: Date.UTC(2024, 0, 1) })
    const ended = converse(clock, {}, HANGS)
    await clock.advance(850)
    clock.setEpochMs(Date.UTC(2023, 11, 31))
    await clock.advance(2e9)
    await expect(ended).resolves.toMatchObject({ attempts: 2, endsAtMs: 1_700 })
  })
})
