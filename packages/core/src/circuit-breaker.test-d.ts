import { describe, expectTypeOf, test } from 'vitest'
import { CircuitBreaker, type CircuitOpenError, type CircuitState, systemClock } from './index.ts'

declare const breaker: CircuitBreaker

describe('CircuitBreaker', () => {
  test('gives back what the operation gives, with or without a promise', () => {
    expectTypeOf(breaker.run(async () => 42)).toEqualTypeOf<Promise<number>>()
    expectTypeOf(breaker.run(() => 'at once')).toEqualTypeOf<Promise<string>>()
  })

  test('takes a signal or none, as fetch does', () => {
    const signal = undefined as AbortSignal | undefined
    expectTypeOf(breaker.run(() => 42, { signal })).toEqualTypeOf<Promise<number>>()
  })

  test('has one of three states, which cannot be set', () => {
    expectTypeOf(breaker.state).toEqualTypeOf<CircuitState>()
    // @ts-expect-error only outcomes open or close a circuit
    breaker.state = 'closed'
  })

  test('may have no next probe', () => {
    expectTypeOf(breaker.nextProbeAtMs).toEqualTypeOf<number | undefined>()
  })

  test('takes any clock, also one that only measures', () => {
    new CircuitBreaker({ clock: systemClock })
    new CircuitBreaker({ clock: { nowMs: () => 0 } })
  })

  test('takes no unknown option', () => {
    // @ts-expect-error the name is openMs; a misspelt option would be ignored in silence
    new CircuitBreaker({ resetTimeoutMs: 5_000 })
  })

  test('takes no asynchronous isFailure', () => {
    // @ts-expect-error a promise is always true: every error would count
    new CircuitBreaker({ isFailure: async () => false })
  })
})

describe('CircuitOpenError', () => {
  test('is told by its code, and says when a probe is due', () => {
    expectTypeOf<CircuitOpenError['code']>().toEqualTypeOf<'CIRCUIT_OPEN'>()
    expectTypeOf<CircuitOpenError['nextProbeAtMs']>().toEqualTypeOf<number>()
  })
})
