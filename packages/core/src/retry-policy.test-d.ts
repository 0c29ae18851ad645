import { describe, expectTypeOf, test } from 'vitest'
import {
  type ClassifyOptions,
  createRetryPolicy,
  type Failure,
  type RetryDecision,
  type RetryPolicy,
  type RetryPolicyOptions,
  type StopReason,
} from './index.ts'

declare const decision: RetryDecision

describe('createRetryPolicy', () => {
  test('needs no options and gives a policy', () => {
    expectTypeOf(createRetryPolicy).parameter(0).toEqualTypeOf<RetryPolicyOptions | undefined>()
    expectTypeOf(createRetryPolicy()).toEqualTypeOf<RetryPolicy>()
  })

  test('takes no unknown option', () => {
    // @ts-expect-error a misspelt option would be ignored in silence
    createRetryPolicy({ maxretries: 3 })
  })

  test('takes no duration as text', () => {
    // @ts-expect-error durations are numbers of milliseconds
    createRetryPolicy({ deadlineMs: '30s' })
  })

  test('takes only the four kinds of jitter', () => {
    // @ts-expect-error 'random' is none of 'full', 'equal', 'decorrelated', 'none'
    createRetryPolicy({ jitter: 'random' })
  })

  test('takes no null for an option', () => {
    // @ts-expect-error leave an option out for its default; null is refused
    createRetryPolicy({ capMs: null })
  })

  test('takes no asynchronous classify', () => {
    // @ts-expect-error decide answers at once, so it cannot await a verdict
    createRetryPolicy({ classify: async (): Promise<Failure> => ({}) as Failure })
  })

  test('lets classify wrap the default one, whose options it is given', () => {
    createRetryPolicy({
      classify: (error, options) => {
        expectTypeOf(error).toBeUnknown()
        expectTypeOf(options).toEqualTypeOf<ClassifyOptions | undefined>()
        return { kind: 'unknown', retryable: false, reason: 'mine', effect: 'none' }
      },
    })
  })

  test('does not let the resolved options be written to', () => {
    const { options } = createRetryPolicy()
    // @ts-expect-error a policy is fixed once it is built
    options.maxRetries = 9
  })
})

describe('decide', () => {
  test('narrows to a delay where retry is true', () => {
    if (!decision.retry) return
    expectTypeOf(decision.delayMs).toBeNumber()
    expectTypeOf(decision.drawMs).toBeNumber()
    expectTypeOf(decision.source).toEqualTypeOf<'backoff' | 'server'>()
  })

  test('narrows to a reason where retry is false', () => {
    if (decision.retry) return
    expectTypeOf(decision.reason).toEqualTypeOf<StopReason>()
    expectTypeOf(decision.classifyError).toBeUnknown()
  })

  test('gives the failure either way', () => {
    expectTypeOf(decision.failure).toEqualTypeOf<Failure>()
  })

  test('does not give a delay before retry has been checked', () => {
    // @ts-expect-error a decision to stop has no delay
    decision.delayMs
  })

  test('has no reason on a decision to retry', () => {
    if (!decision.retry) return
    // @ts-expect-error only a decision to stop has a reason
    decision.reason
  })

  test('needs the error and the retry index', () => {
    const { decide } = createRetryPolicy()
    expectTypeOf(decide({ error: undefined, retryIndex: 0 })).toEqualTypeOf<RetryDecision>()
    // @ts-expect-error without its index a retry has no window
    decide({ error: new Error('boom') })
    // @ts-expect-error undefined is an error that can be thrown, so it has to be said
    decide({ retryIndex: 0 })
  })
})
