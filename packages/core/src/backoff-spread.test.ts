import { describe, expect, it } from 'vitest'
import { createBackoff, type Jitter } from './backoff.ts'
import { seededRandom } from './testing/index.ts'

const DRAWS = 10_000

/** 10,000 seeded draws for one retry. */
function drawMany(jitter: Jitter, retryIndex: number, previousMs?: number): number[] {
  const backoff = createBackoff({ jitter, random: seededRandom(20_260 + retryIndex) })
  return Array.from({ length: DRAWS }, () => backoff(retryIndex, previousMs))
}

/** The fullest hundredth of [low, high], as a multiple of its fair share. */
function fullestHundredth(draws: number[], low: number, high: number): number {
  const wholeNumbers = high - low + 1
  const counts = new Map<number, number>()
  for (const draw of draws) {
    const hundredth = Math.floor(((draw - low) * 100) / wholeNumbers)
    counts.set(hundredth, (counts.get(hundredth) ?? 0) + 1)
  }
  // The hundredths of an interval of whole numbers differ in size by one; each is held to its own.
  return Math.max(
    ...[...counts].map(([hundredth, count]) => {
      const from = Math.ceil((hundredth * wholeNumbers) / 100)
      const to = Math.ceil(((hundredth + 1) * wholeNumbers) / 100)
      return (count * wholeNumbers) / (DRAWS * (to - from))
    }),
  )
}

const intervals: {
  jitter: Jitter
  index: number
  previousMs?: number
  low: number
  high: number
}[] = [
  { jitter: 'full', index: 0, low: 200, high: 1_000 },
  { jitter: 'full', index: 1, low: 200, high: 2_000 },
  { jitter: 'full', index: 3, low: 200, high: 8_000 },
  { jitter: 'full', index: 1_025, low: 200, high: 8_000 },
  { jitter: 'equal', index: 0, low: 500, high: 1_000 },
  { jitter: 'equal', index: 2, low: 2_000, high: 4_000 },
  { jitter: 'equal', index: 1_025, low: 4_000, high: 8_000 },
  { jitter: 'decorrelated', index: 0, low: 1_000, high: 3_000 },
  { jitter: 'decorrelated', index: 1, previousMs: 1_000, low: 1_000, high: 3_000 },
  { jitter: 'decorrelated', index: 2, previousMs: 2_000, low: 1_000, high: 6_000 },
  { jitter: 'decorrelated', index: 1_025, previousMs: 8_000, low: 1_000, high: 8_000 },
]

describe('createBackoff', () => {
  it.each(intervals)(
    'spreads 10,000 draws of $jitter jitter evenly over [$low, $high] ms at index $index',
    ({ jitter, index, previousMs, low, high }) => {
      const draws = drawMany(jitter, index, previousMs)
      expect(Math.min(...draws)).toBeGreaterThanOrEqual(low)
      expect(Math.max(...draws)).toBeLessThanOrEqual(high)
      expect(fullestHundredth(draws, low, high)).toBeLessThanOrEqual(1.6)
    },
  )

  it.each(intervals)(
    'puts at most 0.5 % of $jitter draws in [$low, $high] on the floor or the cap',
    ({ jitter, index, previousMs }) => {
      const draws = drawMany(jitter, index, previousMs)
      const onTheEdge = draws.filter(draw => draw === 200 || draw === 8_000)
      expect(onTheEdge.length).toBeLessThanOrEqual(DRAWS * 0.005)
    },
  )

  it('holds the same for a window of 800 ms, the smallest the promise covers', () => {
    const backoff = createBackoff({ baseMs: 800, random: seededRandom(3) })
    const draws = Array.from({ length: DRAWS }, () => backoff(0))
    expect(fullestHundredth(draws, 200, 800)).toBeLessThanOrEqual(1.6)
    expect(draws.filter(draw => draw === 200).length).toBeLessThanOrEqual(DRAWS * 0.005)
  })

  it('lets full jitter spread clients still once the window has reached capMs', () => {
    const draws = drawMany('full', 10)
    expect(new Set(draws).size).toBeGreaterThan(5_000)
  })

  it('draws a chain of decorrelated delays that keeps moving instead of settling on the cap', () => {
    const backoff = createBackoff({ jitter: 'decorrelated', random: seededRandom(11) })
    let previousMs: number | undefined
    let onCap = 0
    for (let n = 0; n < DRAWS; n++) {
      previousMs = backoff(n, previousMs)
      if (previousMs === 8_000) onCap++
    }
    expect(onCap).toBeLessThanOrEqual(DRAWS * 0.005)
  })
})
