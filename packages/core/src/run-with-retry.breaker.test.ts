import { describe, expect, it, vi } from 'vitest'
import type { RetryPolicyOptions } from './retry-policy.ts'
import { type RunBreaker, type RunEvent, runWithRetry } from './run-with-retry.ts'
import { manualClock, seededRandom } from './testing/index.ts'
import { breakerOpenUntil } from './testing-support/breaker-open-until.ts'
import { bucket } from './testing-support/bucket.ts'
import { converse, failing, hang, STEADY } from './testing-support/converse.ts'

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

  it('goes on with the decorrelated draws of its failures: a refusal in between starts no new chain', async () => {
    const clock = manualClock()
    const startsMs: number[] = []
    // Closed, but in the very moment in which the second retry comes.
    const breaker = breakerOpenUntil(undefined, () => clock.nowMs() === 12_000)
    const fails = () => {
      startsMs.push(clock.nowMs())
      throw { status: 503 }
    }
    const random = () => 0.999_999
    const policy: RetryPolicyOptions = {
      jitter: 'decorrelated',
      maxRetries: 3,
      deadlineMs: Infinity,
      capMs: 60_000,
    }
    runWithRetry(fails, { clock, breaker, policy, random }).catch(() => {})
    await clock.advance(100_000)
    expect(breaker.refusals).toBe(1)
    expect(startsMs).toEqual([0, 3_000, 12_000 + 3_000, 15_000 + 27_000])
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

  it('ends with what a breaker of another make rejects with, undefined included', async () => {
    const breaker: RunBreaker = { nextProbeAtMs: undefined, run: () => Promise.reject(undefined) }
    const ended = await converse(failing(), { breaker })
    expect(ended).toMatchObject({ error: undefined, attempts: 0, because: 'not-retryable' })
  })

  it('has the last failure as cause where a refused retry wakes too late', async () => {
    const clock = manualClock()
    let calls = 0
    let sleeps = 0
    const breaker: RunBreaker = {
      nextProbeAtMs: undefined,
      run: async send => {
        if (calls++) throw { code: 'CIRCUIT_OPEN' }
        return send()
      },
    }
    const sleep = (ms: number) => clock.sleep(sleeps++ ? ms + 5_000 : ms)
    const policy = { ...STEADY, deadlineMs: 1_000 }
    const run = runWithRetry(failing(), { clock: { ...clock, sleep }, breaker, policy })
    const ended = expect(run).rejects.toMatchObject({ cause: { status: 503 } })
    await clock.advance(60_000)
    await ended
  })
})
