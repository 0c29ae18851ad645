import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RetryOptionError } from './errors.ts'
import { RetryBudget, type RetryBudgetOptions } from './retry-budget.ts'
import { manualClock } from './testing/index.ts'

function budgetOnClock(options: RetryBudgetOptions = {}) {
  const clock = manualClock()
  return { clock, budget: new RetryBudget({ ...options, clock }) }
}

/** Withdraws until it is refused. */
function drain(budget: RetryBudget): number {
  let granted = 0
  while (budget.tryWithdraw()) granted++
  return granted
}

describe('RetryBudget', () => {
  it('shows its options with every default', () => {
    const { options } = new RetryBudget({ capacity: 5, depositPerSuccess: undefined })
    expect(options).toMatchObject({ capacity: 5, refillPerSecond: 1, depositPerSuccess: 0.1 })
  })

  it('grants 60 retries at once and then 1 for each second', async () => {
    const { clock, budget } = budgetOnClock()
    expect(budget.available).toBe(60)
    expect(drain(budget)).toBe(60)
    await clock.advance(999)
    expect(budget.tryWithdraw()).toBe(false)
    await clock.advance(1)
    expect(drain(budget)).toBe(1)
    await clock.advance(10_500)
    expect(drain(budget)).toBe(10)
    expect(budget.available).toBeCloseTo(0.5)
  })

  it('grants one more retry after ten successes, whatever ten times 0.1 is in binary', () => {
    const { budget } = budgetOnClock()
    drain(budget)
    for (let n = 0; n < 9; n++) budget.recordSuccess()
    expect(budget.tryWithdraw()).toBe(false)
    budget.recordSuccess()
    expect(drain(budget)).toBe(1)
  })

  it('does not save up beyond its capacity: a day of rest and 1,000 successes leave 60', async () => {
    const { clock, budget } = budgetOnClock()
    await clock.advance(86_400_000)
    for (let n = 0; n < 1_000; n++) budget.recordSuccess()
    budget.refund()
    expect(budget.available).toBe(60)
    expect(drain(budget)).toBe(60)
  })

  it('takes nothing where it refuses, so that asking again and again does not put the next retry off', async () => {
    const { clock, budget } = budgetOnClock({ capacity: 1 })
    drain(budget)
    for (let n = 0; n < 9; n++) {
      await clock.advance(100)
      expect(budget.tryWithdraw()).toBe(false)
    }
    await clock.advance(100)
    expect(budget.tryWithdraw()).toBe(true)
  })

  it('is as it was after 10 retries that were granted and never sent', () => {
    const { budget } = budgetOnClock({ capacity: 30 })
    for (let n = 0; n < 5; n++) budget.tryWithdraw()
    const before = budget.available
    for (let n = 0; n < 10; n++) budget.tryWithdraw()
    for (let n = 0; n < 10; n++) budget.refund()
    expect(budget.available).toBe(before)
  })

  it('lets 1,000 requests with 3 attempts each cause at most 1,100 calls with 100 retries, not 3,000', () => {
    const callsWith = (budget?: RetryBudget) => {
      let calls = 0
      for (let request = 0; request < 1_000; request++)
        for (let attempt = 1; attempt <= 3; attempt++) {
          if (attempt > 1 && budget && !budget.tryWithdraw()) break
          calls++
        }
      return calls
    }
    expect(callsWith()).toBe(3_000)
    expect(callsWith(budgetOnClock({ capacity: 100 }).budget)).toBe(1_100)
  })

  it('multiplies over layers without a budget, 3 x 3 x 3 = 27 and 3 x 3 x 5 = 45, and only adds with one each', () => {
    const callsThrough = (attemptsPerLayer: number[], budgets: RetryBudget[]): number => {
      const [attempts, ...inner] = attemptsPerLayer
      if (!attempts) return 1
      const [budget, ...innerBudgets] = budgets
      let calls = 0
      for (let attempt = 1; attempt <= attempts; attempt++) {
        if (attempt > 1 && budget && !budget.tryWithdraw()) break
        calls += callsThrough(inner, innerBudgets)
      }
      return calls
    }
    expect(callsThrough([3, 3, 3], [])).toBe(27)
    expect(callsThrough([3, 3, 3, 3], [])).toBe(81)
    expect(callsThrough([3, 3, 5], [])).toBe(45)
    const budgets = [1, 1, 1].map(capacity => budgetOnClock({ capacity }).budget)
    expect(callsThrough([3, 3, 3], budgets)).toBe(4)
  })

  it('keeps 100 operations that fail for ever at 10 retries plus refill over a minute', async () => {
    const { clock, budget } = budgetOnClock({ capacity: 10 })
    let retries = 0
    for (let second = 0; second < 60; second++) {
      for (let operation = 0; operation < 100; operation++) if (budget.tryWithdraw()) retries++
      await clock.advance(1_000)
    }
    expect(retries).toBe(10 + 59)
  })

  it('reads the monotonic clock: setting the wall clock forward by a day refills nothing', () => {
    const { clock, budget } = budgetOnClock()
    drain(budget)
    clock.setEpochMs(86_400_000)
    expect(budget.available).toBe(0)
  })

  it('keeps no timer, and takes no harm from a clock that goes back', () => {
    let nowMs = 10_000
    const clock = { ...manualClock(), nowMs: () => nowMs }
    const budget = new RetryBudget({ capacity: 2, clock })
    expect(drain(budget)).toBe(2)
    nowMs = 0
    expect(budget.available).toBe(0)
    nowMs = 10_000
    expect(budget.available).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('grants nothing with capacity 0', async () => {
    const { clock, budget } = budgetOnClock({ capacity: 0 })
    budget.recordSuccess()
    budget.refund()
    await clock.advance(60_000)
    expect(budget.tryWithdraw()).toBe(false)
  })

  it('shares nothing with another budget', () => {
    const [one, other] = [new RetryBudget(), new RetryBudget()]
    drain(one)
    expect(other.available).toBe(60)
  })

  it('takes the default for an option given as undefined', () => {
    const budget = new RetryBudget({ capacity: undefined, clock: undefined })
    expect(budget.available).toBe(60)
  })

  it.each(
    Object.entries({
      capacity: [-1, 1e9 + 1, Infinity, NaN, '60', null],
      refillPerSecond: [-0.1, Infinity, NaN, '1', {}],
      depositPerSuccess: [-0.1, Infinity, NaN, true],
      clock: [Date.now, null, 5],
    }).flatMap(([option, values]) => values.map(value => ({ option, value, text: String(value) }))),
  )('refuses $option: $text, naming option, value and accepted range', ({ option, value }) => {
    let refusal: unknown
    try {
      new RetryBudget({ [option]: value } as RetryBudgetOptions)
    } catch (error) {
      refusal = error
    }
    expect(refusal).toBeInstanceOf(RetryOptionError)
    expect(refusal).toMatchObject({ option, value })
    const range = option === 'clock' ? 'an object' : 'a number from 0 to 1000000000'
    expect((refusal as Error).message).toContain(`${option} must be ${range}, but is `)
  })
})

const amount = (max: number) => fc.double({ min: 0, max, noNaN: true })

const anyOptions = fc.record({
  capacity: fc.oneof(fc.nat(100), amount(1e9)),
  refillPerSecond: fc.oneof(fc.constantFrom(0, 1), amount(1e9)),
  depositPerSuccess: fc.oneof(fc.constantFrom(0, 0.1), amount(1e9)),
})

const anySteps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('withdraw' as const) },
    fc.constant('refund' as const),
    fc.constant('success' as const),
    fc.constant('look' as const),
    fc.oneof(fc.nat(100), fc.nat(100_000), fc.double({ min: 0, max: 1e7, noNaN: true })),
  ),
  { maxLength: 200 },
)

describe('RetryBudget, any interleaving of withdrawals, refunds, successes and time', () => {
  it('is never negative, never above its capacity, and grants exactly where a whole retry is there', async () => {
    await fc.assert(
      fc.asyncProperty(anyOptions, anySteps, async (options, steps) => {
        const { clock, budget } = budgetOnClock(options)
        for (const step of steps) {
          const before = budget.available
          if (step === 'withdraw') {
            const isGranted = budget.tryWithdraw()
            if (before >= 1) expect(isGranted).toBe(true)
            if (before < 0.99) expect(isGranted).toBe(false)
            if (!isGranted) expect(budget.available).toBe(before)
          } else if (step === 'refund') budget.refund()
          else if (step === 'success') budget.recordSuccess()
          else if (step !== 'look') await clock.advance(step)
          expect(budget.available).toBeGreaterThanOrEqual(0)
          expect(budget.available).toBeLessThanOrEqual(options.capacity)
        }
      }),
    )
  })

  it('conserves: what was granted and what is left is never more than what came in', async () => {
    await fc.assert(
      fc.asyncProperty(anyOptions, anySteps, async (options, steps) => {
        const { clock, budget } = budgetOnClock(options)
        let granted = 0
        let cameIn = options.capacity
        for (const step of steps) {
          if (step === 'withdraw') granted += Number(budget.tryWithdraw())
          else if (step === 'success') {
            budget.recordSuccess()
            cameIn += options.depositPerSuccess
          } else if (step === 'refund') {
            // Only what was granted can come back.
            if (granted === 0) continue
            budget.refund()
            granted--
          } else if (step !== 'look') {
            await clock.advance(step)
            cameIn += (step / 1_000) * options.refillPerSecond
          }
          const roundingAllowed = 1e-9 * cameIn + 1e-3
          expect(granted + budget.available).toBeLessThanOrEqual(cameIn + roundingAllowed)
        }
      }),
    )
  })

  it('loses nothing that has room: below capacity, what was granted and what is left is what came in', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, async steps => {
        // Drained first and too large to fill up again: nothing ever spills.
        const options = { capacity: 10_000, refillPerSecond: 0.001, depositPerSuccess: 0.1 }
        const { clock, budget } = budgetOnClock(options)
        let cameIn = options.capacity
        let granted = drain(budget)
        for (const step of steps) {
          if (step === 'withdraw') granted += Number(budget.tryWithdraw())
          else if (step === 'success') {
            budget.recordSuccess()
            cameIn += 0.1
          } else if (step === 'refund') {
            budget.refund()
            granted--
          } else if (step !== 'look') {
            await clock.advance(step)
            cameIn += step / 1e6
          }
        }
        expect(granted + budget.available).toBeCloseTo(cameIn, 2)
      }),
    )
  })

  it('does not depend on how often it is looked at', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(amount(10_000), { maxLength: 50 }), async stepsMs => {
        const { clock, budget } = budgetOnClock({ capacity: 1_000 })
        const unseen = new RetryBudget({ capacity: 1_000, clock })
        drain(budget)
        drain(unseen)
        for (const ms of stepsMs) {
          await clock.advance(ms)
          void budget.available
        }
        expect(budget.available).toBeCloseTo(unseen.available, 6)
      }),
    )
  })
})
