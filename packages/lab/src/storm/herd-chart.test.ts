import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import type { HerdResult } from '../herd-result.ts'
import { type ChartFrame, drawHerd } from './herd-chart.ts'

const FRAME: ChartFrame = {
  width: 600,
  height: 200,
  lastMs: 1_000,
  most: 100,
  capacityPerSlot: 50,
  marginLeft: 50,
  callTicks: [0, 100],
  fontSize: 10,
  look: {
    ink: 'var(--ink)',
    soft: 'var(--soft)',
    line: 'var(--line)',
    firstCalls: 'var(--first)',
    retries: 'var(--retries)',
    outage: 'var(--outage)',
  },
}

/** All come at once, and come back in the slots after that. */
const RESULT = {
  slotMs: 100,
  callsPerSlot: [100, 0, 60, 30],
  retriesPerSlot: [0, 0, 60, 30],
} as HerdResult

function draw(frame: Partial<ChartFrame> = {}, result = RESULT) {
  const svg = drawHerd(result, { ...FRAME, ...frame }, [])
  const { document } = parseHTML(`<!doctype html><html><body>${svg}</body></html>`)
  const points = (fill: string) =>
    [...document.querySelectorAll(`[fill="var(--${fill})"] path`)].flatMap(path =>
      [...(path.getAttribute('d') ?? '').matchAll(/([\d.]+),([\d.]+)/g)].map(([, x, y]) => [
        Number(x),
        Number(y),
      ]),
    )
  const texts = [...document.querySelectorAll('text')].map(({ textContent }) => textContent)
  return { svg, document, points, texts }
}

describe('drawHerd', () => {
  it('draws retries as steps, each as wide as its slot and as high as its calls', () => {
    // The axes: 50 to 550 for a second, 178 to 18 for 100 calls.
    const points = draw().points('retries').slice(0, 10)
    for (const [x, calls] of [
      [150, 60],
      [200, 60],
      [200, 30],
      [250, 30],
      [250, 0],
    ]) {
      expect(points).toContainEqual([x, 178 - 1.6 * (calls as number)])
    }
  })

  it('draws first calls above the retries of their slots, and only where there are any', () => {
    const xs = draw()
      .points('first')
      .map(([x]) => x)
    expect([Math.min(...(xs as number[])), Math.max(...(xs as number[]))]).toEqual([50, 100])
  })

  it.each([
    { capacityPerSlot: 50, lines: 1, text: 'takes 50' },
    { capacityPerSlot: 1_000, lines: 0, text: 'takes 1,000 ↑' },
  ])('shows a capacity of $capacityPerSlot inside the chart or not at all', row => {
    const { document, texts } = draw({ capacityPerSlot: row.capacityPerSlot })
    expect(document.querySelectorAll('[stroke-dasharray]')).toHaveLength(row.lines)
    expect(texts).toContain(row.text)
  })

  it.each([
    { outage: { fromMs: 200, toMs: 500 }, width: 150 },
    { outage: { fromMs: 500, toMs: 60_000 }, width: 250 },
    { outage: { fromMs: 5_000, toMs: 60_000 }, width: undefined },
  ])('shows the part of the outage $outage that is inside the chart', ({ outage, width }) => {
    const rect = draw({ outage }).document.querySelector('[fill="var(--outage)"] rect')
    expect(rect?.getAttribute('width') ?? undefined).toBe(width && String(width))
  })

  it.each([
    { lastMs: 1_000, ticks: ['0 s', '1 s'] },
    { lastMs: 60_000, ticks: ['0 s', '5 s', '10 s'] },
    { lastMs: 3_600_000, ticks: ['0 s', '300 s', '600 s'] },
  ])('has round times below it, at $lastMs ms', ({ lastMs, ticks }) => {
    const shown = draw({ lastMs }).texts.filter(text => text?.endsWith(' s'))
    expect(shown.slice(0, 3)).toEqual(ticks)
    expect(shown.length).toBeLessThan(16)
  })

  it('writes no number longer than a hundredth, so that it is the same everywhere', () => {
    expect(draw({ lastMs: 1_400 }).svg).not.toMatch(/\d\.\d{3}/)
  })
})
