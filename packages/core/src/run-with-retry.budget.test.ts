import { describe, expect, it } from 'vitest'
import { type Attempt, runWithRetry } from './run-with-retry.ts'
import { manualClock } from './testing/index.ts'
import { bucket } from './testing-support/bucket.ts'
import { converse, failing, hang } from './testing-support/converse.ts'

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

  it('rejects with what recordSuccess throws, and tells of no giving up', async () => {
    const mistake = new Error('recordSuccess')
    const recordSuccess = failing(mistake)
    const { error, events } = await converse(() => 'answer', {
      budget: { ...bucket(10), recordSuccess },
    })
    expect(error).toBe(mistake)
    expect(events).toEqual([])
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
