import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from './seeded-random.ts'

const take = (seed: number, count = 20) => {
  const random = seededRandom(seed)
  return Array.from({ length: count }, random)
}

describe('seededRandom', () => {
  it('repeats its draws for the same seed and gives others for another', () => {
    expect(take(1)).toEqual(take(1))
    expect(take(1)).not.toEqual(take(2))
  })

  it('gives the numbers of mulberry32, so that a seed means the same everywhere', () => {
    expect(take(1, 3)).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522])
  })

  it('gives every tenth of [0, 1) its share of 100,000 draws, within 3 %', () => {
    const counts = Array.from({ length: 10 }, () => 0)
    for (const draw of take(42, 100_000)) {
      const tenth = Math.floor(draw * 10)
      counts[tenth] = (counts[tenth] ?? 0) + 1
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(300)
  })

  it('stays in [0, 1) for any seed', () => {
    fc.assert(
      fc.property(fc.double(), seed => {
        for (const draw of take(seed)) {
          expect(draw).toBeGreaterThanOrEqual(0)
          expect(draw).toBeLessThan(1)
        }
      }),
    )
  })
})
