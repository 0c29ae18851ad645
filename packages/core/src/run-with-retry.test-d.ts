import { describe, expectTypeOf, test } from 'vitest'
import {
  type Attempt,
  createRetryPolicy,
  type RunBreaker,
  type RunBudget,
  type RunEvent,
  type RunOptions,
  type RunStopReason,
  runWithRetry,
  type StopReason,
} from './index.ts'

describe('runWithRetry', () => {
  test('gives what the operation gives, asynchronous or not', () => {
    expectTypeOf(runWithRetry(async () => 1)).toEqualTypeOf<Promise<number>>()
    expectTypeOf(runWithRetry(() => 'answer')).toEqualTypeOf<Promise<string>>()
    expectTypeOf(
      runWithRetry(({ attempt }) => (attempt > 1 ? Promise.resolve('late') : 'early')),
    ).toEqualTypeOf<Promise<string>>()
  })

  test('tells the operation about its attempt', () => {
    runWithRetry(attempt => {
      expectTypeOf(attempt).toEqualTypeOf<Attempt>()
      expectTypeOf(attempt.signal).toEqualTypeOf<AbortSignal>()
      expectTypeOf(attempt.timeoutMs).toEqualTypeOf<number | undefined>()
      expectTypeOf(attempt.remainingMs).toBeNumber()
    })
  })

  test('takes a policy, or what one is built from', () => {
    runWithRetry(() => 1, { policy: createRetryPolicy() })
    runWithRetry(() => 1, { policy: { maxRetries: 2 } })
  })

  test('takes no policy option beside its own', () => {
    // @ts-expect-error it would be ignored in silence: it belongs into `policy`
    runWithRetry(() => 1, { maxRetries: 2 })
  })

  test('takes a promise for no operation', () => {
    // @ts-expect-error what runs already cannot be run again
    runWithRetry(Promise.resolve(1))
  })
})

describe('RunOptions', () => {
  test('take any budget of the right shape', () => {
    class Tokens {
      tryWithdraw(): boolean {
        return true
      }
      refund(): void {}
      recordSuccess(): void {}
      get available(): number {
        return 1
      }
    }
    expectTypeOf<Tokens>().toExtend<RunBudget>()
  })

  test('take any breaker of the right shape', () => {
    class Breaker {
      declare readonly state: 'closed' | 'open' | 'half-open'
      declare readonly nextProbeAtMs: number | undefined
      declare run: <T>(
        operation: () => Promise<T> | T,
        options?: { signal?: AbortSignal },
      ) => Promise<T>
    }
    expectTypeOf<Breaker>().toExtend<RunBreaker>()
  })

  test('take no budget that answers later', () => {
    const later = { tryWithdraw: async () => true, refund() {}, recordSuccess() {} }
    // @ts-expect-error a promise is truthy: it would grant everything
    runWithRetry(() => 1, { budget: later })
  })

  test('are all optional', () => {
    expectTypeOf<Record<never, never>>().toExtend<RunOptions>()
  })
})

describe('RunEvent', () => {
  test('narrows by its type', () => {
    const event = {} as RunEvent
    if (event.type === 'retry-scheduled') {
      expectTypeOf(event.delayMs).toBeNumber()
      expectTypeOf(event.source).toEqualTypeOf<'backoff' | 'server'>()
    }
    if (event.type === 'gave-up') expectTypeOf(event.stopReason).toEqualTypeOf<RunStopReason>()
    // @ts-expect-error only a run that gave up has a stop reason
    event.stopReason
  })

  test('has a policy’s stop reasons, and one of the run’s own', () => {
    expectTypeOf<Exclude<RunStopReason, StopReason>>().toEqualTypeOf<'no-stable-key'>()
  })
})
