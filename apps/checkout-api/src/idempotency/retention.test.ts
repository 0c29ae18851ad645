import { describe, expect, it } from 'vitest'
import { checkRetention, DEFAULT_RETENTION } from './retention.ts'

describe('checkRetention', () => {
  it('takes the defaults: lease < re-drive < answer < record', () => {
    expect(checkRetention(DEFAULT_RETENTION)).toBe(DEFAULT_RETENTION)
  })

  it.each([
    ['leaseMs (0) has to be more than nothing (0)', { leaseMs: 0 }],
    ['leaseMs (NaN) has to be more than nothing (0)', { leaseMs: Number.NaN }],
    ['redriveMs (30000) has to be more than leaseMs (30000)', { redriveMs: 30_000 }],
    ['answerMs (1) has to be more than redriveMs (72000000)', { answerMs: 1 }],
    ['recordMs (1) has to be more than answerMs (604800000)', { recordMs: 1 }],
  ])('refuses %s', (message, wrong) => {
    expect(() => checkRetention({ ...DEFAULT_RETENTION, ...wrong })).toThrow(
      new RangeError(message),
    )
  })
})
