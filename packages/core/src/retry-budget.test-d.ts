import { describe, expectTypeOf, test } from 'vitest'
import { RetryBudget } from './index.ts'

declare const budget: RetryBudget

describe('RetryBudget', () => {
  test('needs no options, and says whether a retry was granted', () => {
    expectTypeOf(new RetryBudget().tryWithdraw()).toEqualTypeOf<boolean>()
  })

  test('shows what is available, which cannot be set', () => {
    expectTypeOf(budget.available).toEqualTypeOf<number>()
    // @ts-expect-error only time, successes and refunds fill a budget
    budget.available = 60
  })

  test('takes no unknown option', () => {
    // @ts-expect-error the name is refillPerSecond
    new RetryBudget({ refillPerMinute: 60 })
  })
})
