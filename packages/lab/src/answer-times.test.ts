import { seededRandom } from '@query-retry/core/testing'
import { describe, expect, it } from 'vitest'
import { logNormalAnswers } from './answer-times.ts'

describe('logNormalAnswers', () => {
  it('answers half of 100,000 calls within the median and 99 % within p99Ms, to 3 %', () => {
    const draw = logNormalAnswers(80, 900)
    const random = seededRandom(7)
    const times = Array.from({ length: 100_000 }, () => draw(random)).sort((a, b) => a - b)
    expect(Math.abs((times[50_000] as number) - 80)).toBeLessThan(80 * 0.03)
    expect(Math.abs((times[99_000] as number) - 900)).toBeLessThan(900 * 0.03)
  })

  it('takes always the same where median and p99Ms are the same', () => {
    expect(logNormalAnswers(80, 80)(seededRandom(7))).toBe(80)
  })

  it.each([0, 0.999_999_999_9])('gives a finite time for a draw of %d', random => {
    expect(logNormalAnswers(80, 900)(() => random)).toSatisfy(Number.isFinite)
  })
})
