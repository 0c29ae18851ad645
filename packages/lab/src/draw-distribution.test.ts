import { createBackoff, type Jitter } from '@query-retry/core'
import { seededRandom } from '@query-retry/core/testing'
import { describe, expect, it } from 'vitest'

const DRAWS = 20_000
/** What 1 % of samples of a right distribution exceed; for a discrete one, fewer. */
const CRITICAL = 1.628 / Math.sqrt(DRAWS)

/** Uniform on the whole numbers from `low` to `high`, which is what each jitter promises for its window. */
interface ClosedForm {
  low: number
  high: number
}

const rows: (ClosedForm & { jitter: Jitter; index: number; previousMs?: number })[] = [
  { jitter: 'full', index: 0, low: 200, high: 1_000 },
  { jitter: 'full', index: 1, low: 200, high: 2_000 },
  { jitter: 'full', index: 2, low: 200, high: 4_000 },
  { jitter: 'full', index: 3, low: 200, high: 8_000 },
  { jitter: 'full', index: 9, low: 200, high: 8_000 },
  { jitter: 'equal', index: 0, low: 500, high: 1_000 },
  { jitter: 'equal', index: 2, low: 2_000, high: 4_000 },
  { jitter: 'equal', index: 9, low: 4_000, high: 8_000 },
  { jitter: 'decorrelated', index: 0, low: 1_000, high: 3_000 },
  { jitter: 'decorrelated', index: 1, previousMs: 1_500, low: 1_000, high: 4_500 },
  { jitter: 'decorrelated', index: 2, previousMs: 2_400, low: 1_000, high: 7_200 },
  { jitter: 'decorrelated', index: 3, previousMs: 7_999, low: 1_000, high: 8_000 },
]

function draw(row: (typeof rows)[number], seed = 6): number[] {
  const backoff = createBackoff({ jitter: row.jitter, random: seededRandom(seed) })
  const draws = Array.from({ length: DRAWS }, () => backoff(row.index, row.previousMs))
  return draws.sort((a, b) => a - b)
}

/**
 * Kolmogorov and Smirnov's distance: the most by which the share of draws up to a value differs from its
 * probability. Both are steps at whole numbers, so these are all there is to look at.
 */
function distance(sorted: number[], { low, high }: ClosedForm): number {
  let farthest = 0
  let upTo = 0
  for (let value = low - 1; value <= high; value++) {
    while ((sorted[upTo] as number) <= value) upTo++
    const probability = (value - low + 1) / (high - low + 1)
    farthest = Math.max(farthest, Math.abs(upTo / sorted.length - probability))
  }
  return farthest
}

describe('createBackoff, against the closed form', () => {
  it.each(rows)(
    '$jitter at index $index after $previousMs ms is uniform on $low to $high ms (Kolmogorov-Smirnov)',
    row => {
      expect(distance(draw(row), row)).toBeLessThan(CRITICAL)
    },
  )

  it.each(rows)('$jitter at index $index has the mean of $low to $high ms, within 3 sigma', row => {
    const wholeNumbers = row.high - row.low + 1
    const sigma = Math.sqrt((wholeNumbers ** 2 - 1) / 12 / DRAWS)
    const mean = draw(row).reduce((sum, value) => sum + value, 0) / DRAWS
    expect(Math.abs(mean - (row.low + row.high) / 2)).toBeLessThan(3 * sigma)
  })

  it.each(rows)('$jitter at index $index has the quantiles of $low to $high ms', row => {
    const sorted = draw(row)
    const wholeNumbers = row.high - row.low + 1
    for (const share of [0.01, 0.1, 0.5, 0.9, 0.99]) {
      const expected = row.low + Math.ceil(share * wholeNumbers) - 1
      const sigma = Math.sqrt((share * (1 - share)) / DRAWS) * wholeNumbers
      const quantile = sorted[Math.ceil(share * DRAWS) - 1] as number
      expect(Math.abs(quantile - expected)).toBeLessThan(3 * sigma + 1)
    }
  })

  it.each([
    { name: 'a floor that is clamped', wrong: (u: number) => Math.max(200, Math.floor(u * 1_001)) },
    { name: 'a window 5 % too long', wrong: (u: number) => 200 + Math.floor(u * 841) },
    { name: 'a draw of two steps', wrong: (u: number) => (u < 0.5 ? 400 : 800) },
  ])('would find out $name', ({ wrong }) => {
    const random = seededRandom(6)
    const sorted = Array.from({ length: DRAWS }, () => wrong(random())).sort((a, b) => a - b)
    expect(distance(sorted, { low: 200, high: 1_000 })).toBeGreaterThan(CRITICAL)
  })
})
