import { describe, expect, it } from 'vitest'
import { classifyFailure } from './classify-failure.ts'
import {
  AttemptTimeoutError,
  CircuitOpenError,
  DeadlineExceededError,
  RetryOptionError,
} from './errors.ts'

describe('AttemptTimeoutError', () => {
  it('carries its code and the limit of 800 ms, and is read as a timeout worth a retry', () => {
    const error = new AttemptTimeoutError(800)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'AttemptTimeoutError',
      code: 'ATTEMPT_TIMEOUT',
      timeoutMs: 800,
      message: expect.stringContaining('800 ms'),
    })
    expect(classifyFailure(error)).toEqual({
      kind: 'timeout',
      retryable: true,
      reason: 'attempt-timeout',
      effect: 'unknown',
    })
  })
})

describe('CircuitOpenError', () => {
  it('carries when a probe is due as a number, and no cause: no single error opened the circuit', () => {
    const error = new CircuitOpenError(12_000.5, 8_000)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'CircuitOpenError',
      code: 'CIRCUIT_OPEN',
      nextProbeAtMs: 12_000.5,
      message: expect.stringContaining('4001 ms'),
    })
    expect(error.cause).toBeUndefined()
  })
})

describe('DeadlineExceededError', () => {
  it('carries the last attempt’s own error as cause, and ends the operation whatever that was', () => {
    const cause = { status: 503 }
    const error = new DeadlineExceededError(30_000, 30_000.7, cause)
    expect(error.cause).toBe(cause)
    expect(error).toMatchObject({
      name: 'DeadlineExceededError',
      code: 'DEADLINE_EXCEEDED',
      deadlineMs: 30_000,
      elapsedMs: 30_000.7,
      message: expect.stringMatching(/3000[01].* of 30000 ms/),
    })
    expect(classifyFailure(error)).toMatchObject({ kind: 'refused', retryable: false })
  })
})

describe('RetryOptionError', () => {
  it.each([
    ['abc', /"abc"/],
    [-1, /-1/],
    [null, /null/],
    [NaN, /NaN/],
    [5n, /5/],
    [Symbol('x'), /Symbol\(x\)/],
    [() => 'secret', /function/],
    [{ secret: 1 }, /object/],
    [['secret'], /array|object/],
    [Object.create(null), /object/],
    [
      {
        toString: () => {
          throw new Error('no text')
        },
      },
      /object/,
    ],
  ])(
    'names option, accepted values and the value given, objects by their type: %#',
    (value, text) => {
      const error = new RetryOptionError('capMs', value, 'a number')
      expect(error).toBeInstanceOf(Error)
      expect(error.message).toMatch(/^capMs must be a number, but is /)
      expect(error.message).toMatch(text)
      expect(error.message).not.toContain('secret')
      expect(error.value).toBe(value)
    },
  )
})
