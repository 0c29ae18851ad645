import { describe, expect, it } from 'vitest'
import { CircuitBreaker } from './circuit-breaker.ts'
import { RetryBudget } from './retry-budget.ts'
import { type RunOptions, runWithRetry } from './run-with-retry.ts'
import { manualClock, seededRandom } from './testing/index.ts'
import { DOWN, scripted } from './testing-support/scripted-breaker.ts'

/** `count` runs that share clock and options, and how often their operation was called. */
function runMany(count: number, operation: () => unknown, options: RunOptions) {
  let calls = 0
  const ended = Promise.allSettled(
    Array.from({ length: count }, () =>
      runWithRetry(() => {
        calls++
        return operation()
      }, options),
    ),
  )
  return { ended, calls: () => calls }
}
const fail = () => Promise.reject(DOWN)
const hang = () => new Promise(() => {})

describe('runWithRetry with a RetryBudget', () => {
  it('lets 100 queries that fail for ever, one fetch after the other, send 10 retries and one per second more', async () => {
    const clock = manualClock()
    const budget = new RetryBudget({ capacity: 10, refillPerSecond: 1, clock })
    const policy = { maxRetries: Infinity, deadlineMs: Infinity }
    let retries = 0
    const query = async () => {
      for (;;) {
        await runWithRetry(
          ({ attempt }) => {
            if (attempt > 1) retries++
            throw DOWN
          },
          { clock, budget, policy, random: seededRandom(1) },
        ).catch(() => {})
        await clock.sleep(1_000)
      }
    }
    for (let n = 0; n < 100; n++) query()
    await clock.advance(60_000)
    expect(retries).toBeGreaterThanOrEqual(60)
    expect(retries).toBeLessThanOrEqual(10 + 60)
  })

  it('is as it was after 10 retries that were granted to runs cancelled before they were sent', async () => {
    const clock = manualClock()
    const budget = new RetryBudget({ capacity: 10, refillPerSecond: 0, clock })
    const controller = new AbortController()
    const { ended, calls } = runMany(10, fail, { clock, budget, signal: controller.signal })
    await clock.advance(0)
    expect(budget.available).toBe(0)
    controller.abort()
    await ended
    expect(budget.available).toBe(10)
    expect(calls()).toBe(10)
  })
})

describe('runWithRetry with a CircuitBreaker', () => {
  it.each([1, 3])(
    'makes as many calls of 20 runs at half-open as there are probes: %d',
    async probes => {
      const { clock, breaker, untilProbe } = scripted({ halfOpenProbes: probes })
      await untilProbe()
      const { calls } = runMany(20, hang, { clock, breaker })
      await clock.advance(0)
      expect(calls()).toBe(probes)
      await clock.advance(9_999)
      expect(calls()).toBe(probes)
      expect(breaker.state).toBe('half-open')
    },
  )

  it('gives the slot of a run that hangs to the next after probeTimeoutMs, 10 s', async () => {
    const { clock, breaker, untilProbe } = scripted()
    await untilProbe()
    const { calls } = runMany(20, hang, { clock, breaker, policy: { deadlineMs: 60_000 } })
    await clock.advance(10_000 + 8_000)
    expect(calls()).toBe(2)
  })

  it('stays closed on ten 400s, and each of them ends its run at once', async () => {
    const { clock, breaker } = scripted()
    const badRequest = () => Promise.reject({ status: 400 })
    const { ended, calls } = runMany(10, badRequest, { clock, breaker })
    expect((await ended).map(({ status }) => status)).toEqual(Array(10).fill('rejected'))
    expect({ state: breaker.state, calls: calls() }).toEqual({ state: 'closed', calls: 10 })
  })

  it('counts no refusal as a failure: 1,000 runs that wait leave it as it was, and all of them are served', async () => {
    const { clock, breaker, untilProbe } = scripted()
    await untilProbe()
    const answer = () => clock.sleep(20).then(() => 'answer')
    const policy = { maxRetries: 0, deadlineMs: 60_000 }
    const { ended, calls } = runMany(1_000, answer, { clock, breaker, policy })
    await clock.advance(60_000)
    expect(new Set((await ended).map(({ status }) => status))).toEqual(new Set(['fulfilled']))
    expect({ state: breaker.state, calls: calls() }).toEqual({ state: 'closed', calls: 1_000 })
  })

  it('lets 100 runs, one each 100 ms, make 10 calls of an outage and a probe now and then, not 500', async () => {
    const calls = async (breaker?: CircuitBreaker, clock = manualClock()) => {
      const random = seededRandom(3)
      const runs = []
      for (let n = 0; n < 100; n++) {
        runs.push(runMany(1, fail, { clock, breaker, random }))
        await clock.advance(100)
      }
      await clock.advance(60_000)
      return runs.reduce((sum, run) => sum + run.calls(), 0)
    }
    const clock = manualClock()
    const breaker = new CircuitBreaker({ clock, random: seededRandom(4) })
    await expect(calls()).resolves.toBe(500)
    await expect(calls(breaker, clock)).resolves.toBeLessThanOrEqual(10 + 5)
    expect(breaker.state).toBe('open')
  })
})
