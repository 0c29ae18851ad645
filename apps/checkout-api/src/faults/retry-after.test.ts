import { describe, expect, it } from 'vitest'
import { formatRetryAfter } from './retry-after.ts'

describe('formatRetryAfter', () => {
  it.each([
    ['seconds', 5, 0, '5'],
    ['seconds', 0, 0, '0'],
    ['date', 5, 0, 'Thu, 01 Jan 1970 00:00:05 GMT'],
    ['date', 0, 784_111_777_000, 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['date', 5, 1, 'Thu, 01 Jan 1970 00:00:06 GMT'],
    ['date', 5, 999, 'Thu, 01 Jan 1970 00:00:06 GMT'],
  ] as const)('%s: %i s from %i ms is %s', (form, seconds, nowEpochMs, expected) => {
    expect(formatRetryAfter({ form, seconds }, nowEpochMs)).toBe(expected)
  })
})
