import { describe, expect, it } from 'vitest'
import { instantOfShare } from './percentile.ts'

describe('instantOfShare', () => {
  it.each([
    { share: 0.01, expected: 10 },
    { share: 0.5, expected: 20 },
    { share: 0.51, expected: 30 },
    { share: 0.75, expected: 30 },
    { share: 0.76, expected: undefined },
    { share: 1, expected: undefined },
  ])('says that $share of 4, of which 3 happened at 10, 20 and 30, had by $expected', row => {
    expect(instantOfShare([10, 20, 30], row.share, 4)).toBe(row.expected)
  })

  it('takes 99 % of 4,200 as 4,158, not one more by rounding', () => {
    const ranks = Array.from({ length: 4_200 }, (_, index) => index + 1)
    expect(instantOfShare(ranks, 0.99, 4_200)).toBe(4_158)
  })
})
