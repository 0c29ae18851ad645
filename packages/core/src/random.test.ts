import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawBetween } from './random.ts'
import { seededRandom } from './testing/index.ts'

describe('drawBetween', () => {
  it.each([
    { random: 0, expected: 3 },
    { random: 0.249, expected: 3 },
    { random: 0.25, expected: 4 },
    { random: 0.999_999, expected: 6 },
  ])(
    'gives each of 3, 4, 5, 6 a quarter of the source: $random is $expected',
    ({ random, expected }) => {
      expect(drawBetween(3, 6, () => random)).toBe(expected)
    },
  )

  it('gives the two ends the same share as the others: 1 in 5 each, within 5 %', () => {
    const random = seededRandom(7)
    const counts = [0, 0, 0, 0, 0]
    for (let n = 0; n < 50_000; n++) {
      const draw = drawBetween(0, 4, random)
      counts[draw] = (counts[draw] ?? 0) + 1
    }
    for (const count of counts) {
      expect(count).toBeGreaterThan(9_500)
      expect(count).toBeLessThan(10_500)
    }
  })

  it('stays inside the interval whatever the source returns', () => {
    const low = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(low, fc.nat(1_000_000), fc.double(), (start, width, value) => {
        const draw = drawBetween(start, start + width, () => value)
        expect(draw).toBeGreaterThanOrEqual(start)
        expect(draw).toBeLessThanOrEqual(start + width)
        expect(Number.isInteger(draw)).toBe(true)
      }),
      { examples: [1, -1, NaN, Infinity, -Infinity].map(value => [200, 600, value]) },
    )
  })
})
