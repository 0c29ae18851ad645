import { RetryBudget } from '@query-retry/core'
import { describe, expect, it } from 'vitest'
import { cancelRetry } from '../notice-mutations.ts'
import type { RetryPresetOptions } from '../retry-preset.ts'
import { advance, installFakeTime } from '../testing-support/conversation.ts'
import { OFFLINE, PAID, problem, startPayments } from '../testing-support/scripted-mutation.ts'

installFakeTime()

function startBudgeted(
  capacity: number,
  scripts: Parameters<typeof startPayments>[0],
  options: RetryPresetOptions = {},
) {
  const budget = new RetryBudget({ capacity, refillPerSecond: 0, depositPerSuccess: 0 })
  return { budget, ...startPayments(scripts, { budget: () => budget, ...options }) }
}

describe('a mutation under a key', () => {
  it('pays for its retry from the budget of its scope', async () => {
    const { budget, sends, submit } = startBudgeted(10, [OFFLINE, PAID], {
      scopeOf: ({ mutationKey }) => String(mutationKey),
    })
    const paying = submit()
    await advance(60_000)
    expect([paying.data, sends.length, budget.available]).toEqual([{ receipt: 1 }, 2, 9])
  })

  it('is not sent again where the budget is exhausted: its outcome is unknown, and events say why', async () => {
    const { events, record, sends, submit } = startBudgeted(0, [OFFLINE, PAID])
    const paying = submit()
    await advance(60_000)
    expect([sends.length, paying.error, (await record())?.state]).toEqual([
      1,
      expect.any(TypeError),
      'unknown',
    ])
    expect(events.map(({ type }) => type)).toEqual([
      'attempt-failed',
      'budget-exhausted',
      'gave-up',
    ])
    expect(events.slice(1)).toMatchObject([
      { scope: 'default', mutationHash: '["pay"]' },
      { stopReason: 'budget-exhausted' },
    ])
  })

  it('asks for the answer to a request in progress without paying', async () => {
    const running = problem(409, 'request-in-progress')
    const { budget, sends, submit } = startBudgeted(1, [running, running, running, PAID])
    const paying = submit()
    await advance(60_000)
    expect([paying.data, sends.length, budget.available]).toEqual([{ receipt: 1 }, 4, 1])
  })

  it('gives back what it paid for a retry that the person took back', async () => {
    const { budget, sends, submit, client } = startBudgeted(10, [OFFLINE, PAID])
    submit()
    await advance(100)
    expect(budget.available).toBe(9)
    for (const mutation of client.getMutationCache().getAll()) cancelRetry(mutation)
    await advance(60_000)
    expect([sends.length, budget.available]).toEqual([1, 10])
  })

  it('gives it back where its own `retry: false` took the retry away', async () => {
    const { budget, sends, submit } = startBudgeted(10, [OFFLINE, PAID])
    submit(undefined, { retry: false })
    await advance(60_000)
    expect([sends.length, budget.available]).toEqual([1, 10])
  })

  it('gives it back where its variables were changed during the wait', async () => {
    const { budget, sends, submit } = startBudgeted(10, [OFFLINE, PAID])
    const order = { id: 'o1', amount: 12 }
    const paying = submit(order)
    await advance(100)
    order.amount = 13
    await advance(60_000)
    expect(paying.error).toMatchObject({ name: 'IntentError' })
    expect([sends.length, budget.available]).toEqual([1, 10])
  })

  it('shares the budget with the queries of its scope', async () => {
    const { budget, fetch, sends, submit } = startBudgeted(4, [OFFLINE, PAID])
    fetch([{ fails: { status: 503 } }])
    await advance(60_000)
    submit()
    await advance(60_000)
    expect([sends.length, budget.available]).toEqual([1, 0])
  })
})
