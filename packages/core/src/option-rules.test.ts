import { describe, expect, it } from 'vitest'
import { createBackoff } from './backoff.ts'
import { RetryOptionError } from './errors.ts'
import { createRetryPolicy } from './retry-policy.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1
const NO_NUMBERS = [NaN, '5', null, true, {}, [], () => 5, 5n, Symbol('5')]

const backoffOptions: {
  option: string
  rejected: unknown[]
  accepted: unknown[]
  range: string[]
}[] = [
  {
    option: 'baseMs',
    rejected: [...NO_NUMBERS, 0, -1, Infinity, -Infinity, LONGEST_TIMER_MS + 1],
    accepted: [1, 1.5, 1_000, LONGEST_TIMER_MS],
    range: ['2147483647'],
  },
  {
    option: 'capMs',
    rejected: [...NO_NUMBERS, 0, -1, 199, Infinity, -Infinity, LONGEST_TIMER_MS + 1],
    accepted: [200, 200.5, 8_000, LONGEST_TIMER_MS],
    range: ['200', '2147483647'],
  },
  {
    option: 'floorMs',
    rejected: [...NO_NUMBERS, -1, Infinity, -Infinity, LONGEST_TIMER_MS + 1],
    accepted: [0, 0.5, 200, 8_000],
    range: ['0'],
  },
  {
    option: 'factor',
    rejected: [...NO_NUMBERS, 0, 0.99, -2, Infinity, -Infinity],
    accepted: [1, 1.5, 2, 1e9],
    range: ['1'],
  },
  {
    option: 'jitter',
    rejected: ['Full', 'random', '', null, true, 5, {}, ['full']],
    accepted: ['full', 'equal', 'decorrelated', 'none'],
    range: ['full', 'equal', 'decorrelated', 'none'],
  },
  {
    option: 'random',
    rejected: [0.5, null, 'Math.random', {}, NaN],
    accepted: [Math.random, () => 0.5],
    range: ['function'],
  },
]

const policyOptions: typeof backoffOptions = [
  {
    option: 'maxRetries',
    rejected: [...NO_NUMBERS, -1, 1.5, -Infinity],
    accepted: [0, 1, 4, 1e6, Infinity],
    range: ['0', 'whole'],
  },
  {
    option: 'deadlineMs',
    rejected: [...NO_NUMBERS, 0, -1, -Infinity],
    accepted: [1, 30_000, LONGEST_TIMER_MS + 1, Infinity],
    range: ['Infinity'],
  },
  {
    option: 'attemptTimeoutMs',
    rejected: [...NO_NUMBERS, 0, -1, Infinity, -Infinity, LONGEST_TIMER_MS + 1],
    accepted: [1, 800, LONGEST_TIMER_MS],
    range: ['1', '2147483647'],
  },
  {
    option: 'minAttemptMs',
    rejected: [...NO_NUMBERS, -1, Infinity, -Infinity],
    accepted: [0, 400, 30_000],
    range: ['0'],
  },
  {
    option: 'reserveMs',
    rejected: [...NO_NUMBERS, -1, Infinity, -Infinity],
    accepted: [0, 200, 30_000],
    range: ['0'],
  },
  {
    option: 'maxServerWaitMs',
    rejected: [...NO_NUMBERS, -1, -Infinity],
    accepted: [0, 60_000, Infinity],
    range: ['0', 'Infinity'],
  },
  {
    option: 'serverWait',
    rejected: ['Add', 'sum', '', null, true, 5],
    accepted: ['add', 'max'],
    range: ['add', 'max'],
  },
  {
    option: 'classify',
    rejected: [null, 'default', {}, 5],
    accepted: [() => ({ kind: 'unknown', retryable: false, reason: 'x', effect: 'none' })],
    range: ['function'],
  },
]

/** The error that building with `option` set to `value` throws. */
function refusal(build: (options: object) => unknown, option: string, value: unknown): unknown {
  try {
    build({ [option]: value })
    return undefined
  } catch (error) {
    return error
  }
}

/** How a message shows a value that was given. */
function shown(value: unknown): string {
  return Object(value) === value ? typeof value : String(value)
}

const builders = [
  { name: 'createBackoff', build: createBackoff, options: backoffOptions },
  {
    name: 'createRetryPolicy',
    build: createRetryPolicy,
    options: [...backoffOptions, ...policyOptions],
  },
]

describe.each(builders)('$name', ({ build, options }) => {
  const rejected = options.flatMap(({ option, rejected, range }) =>
    rejected.map(value => ({ option, value, range, text: shown(value) })),
  )
  const accepted = options.flatMap(({ option, accepted }) =>
    [...accepted, undefined].map(value => ({ option, value, text: shown(value) })),
  )

  it.each(rejected)(
    'refuses $option: $text, naming option, value and accepted range',
    ({ option, value, range, text }) => {
      const error = refusal(build, option, value)
      expect(error).toBeInstanceOf(RetryOptionError)
      expect(error).toMatchObject({ name: 'RetryOptionError', code: 'RETRY_OPTION', option, value })
      const { message } = error as Error
      const [before = '', after = ''] = message.split(/, but is (?=[^,]*$)/)
      expect(before).toMatch(new RegExp(`^${option} must be `))
      for (const end of range) expect(before).toContain(end)
      expect(after).toContain(text)
    },
  )

  it.each(accepted)('accepts $option: $text', ({ option, value }) => {
    expect(refusal(build, option, value)).toBeUndefined()
  })

  it('refuses a cap below a floor that was given with it, naming the floor', () => {
    expect(() => build({ floorMs: 500, capMs: 499 })).toThrow(/^capMs must be .*500.*but is 499/)
    expect(() => build({ floorMs: 0, capMs: 0.5 })).toThrow(/^capMs must be a number from 1 to/)
  })

  it('refuses a floor above the default cap of 8 s', () => {
    expect(() => build({ floorMs: 8_001 })).toThrow(RetryOptionError)
  })
})
