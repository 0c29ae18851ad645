import { describe, expect, it } from 'vitest'
import type { HerdOptions } from '../herd-options.ts'
import type { HerdResult } from '../herd-result.ts'
import { simulateHerd } from '../simulate-herd.ts'
import { COMPARED_POLICIES } from './compared-policies.ts'

/** 4,200 clients at once, and 420 calls a second; an answer takes one slot of 100 ms. */
const HERD = { clients: 4_200, capacityPerSlot: 42, slotMs: 100 }
const SEEDS = 50

const known = new Map<string, HerdResult[]>()

/** The results of a policy over 50 seeds. */
function herds(name: string, server: Partial<HerdOptions> = {}): HerdResult[] {
  const key = name + JSON.stringify(server)
  const policy = COMPARED_POLICIES.find(compared => compared.name === name)
  if (!policy) throw new Error(`no policy ${name}`)
  const results =
    known.get(key) ??
    Array.from({ length: SEEDS }, (_, seed) =>
      simulateHerd({ ...HERD, policy: policy.policy, ...server, seed }),
    )
  known.set(key, results)
  return results
}

interface Spread {
  least: number
  median: number
  most: number
}

function spreadOf(results: HerdResult[], figure: (result: HerdResult) => number): Spread {
  const sorted = results.map(figure).sort((a, b) => a - b)
  const at = (index: number) => sorted[index] as number
  return { least: at(0), median: at(Math.floor(sorted.length / 2)), most: at(sorted.length - 1) }
}

const totalCalls = (result: HerdResult) => result.totalCalls
const peak = (result: HerdResult) => result.peakRetriesPerSlot
const servedAtMs = (result: HerdResult) => result.allServedAtMs ?? Infinity

/** The figure is the median of the seeds, within `ratio`, and one that some of them give. */
function expectAround(spread: Spread, figure: number, ratio: number): void {
  expect(Math.abs(spread.median / figure - 1)).toBeLessThanOrEqual(ratio)
  expect(spread.least).toBeLessThanOrEqual(figure)
  expect(spread.most).toBeGreaterThanOrEqual(figure)
}

describe('a floor that is clamped', () => {
  it('brings 840 clients of 4,200 back in one millisecond, and the preset’s draw 5', () => {
    const returns = (name: string) =>
      spreadOf(
        // A slot of 1 ms that takes nobody: everybody's first retry is seen, by the millisecond.
        herds(name, { capacityPerSlot: 0, slotMs: 1, answerMs: 0, untilMs: 1_000 }),
        result => result.retriesPerSlot[200] ?? 0,
      )
    expectAround(returns('preset-clamped'), 840, 0.02)
    expectAround(returns('preset'), 5, 0.2)
  })

  it('doubles the peak: 1,249 against 657 calls in a slot', () => {
    expectAround(spreadOf(herds('preset-clamped'), peak), 1_249, 0.01)
    expectAround(spreadOf(herds('preset'), peak), 657, 0.01)
  })

  it('is worse than the preset with the luckiest seed against the unluckiest', () => {
    const clamped = spreadOf(herds('preset-clamped'), peak)
    expect(clamped.least).toBeGreaterThan(1.5 * spreadOf(herds('preset'), peak).most)
  })
})

describe('the preset beside TanStack Query’s default', () => {
  it('has at most a fifth of its peak of retries, with any seed', () => {
    expect(spreadOf(herds('tanstack'), peak).median).toBe(4_158)
    expect(spreadOf(herds('preset'), peak).most).toBeLessThanOrEqual(4_158 / 5)
  })

  it('serves 3,917 of 4,200 where TanStack Query’s default serves 168, with 4 % more calls', () => {
    const served = (result: HerdResult) => result.served
    expectAround(spreadOf(herds('preset'), served), 3_917, 0.01)
    expect(spreadOf(herds('tanstack'), served).median).toBe(168)
    const more = spreadOf(herds('preset'), totalCalls).median / 16_548 - 1
    expect(more).toBeGreaterThan(0.03)
    expect(more).toBeLessThan(0.05)
  })

  it('is not the best: decorrelated jitter has less than half its peak and serves all but 14', () => {
    const decorrelated = spreadOf(herds('decorrelated'), peak)
    expect(decorrelated.most).toBeLessThan(spreadOf(herds('preset'), peak).least / 2)
    expectAround(
      spreadOf(herds('decorrelated'), result => 4_200 - result.served),
      14,
      0.2,
    )
  })
})

describe('a Retry-After of 5 s', { timeout: 60_000 }, () => {
  const asking = { retryAfterMs: 5_000 }

  it.each([
    { name: 'retry-after-exact', peakRetries: 4_158, seconds: 505, calls: 212_100 },
    { name: 'retry-after-max', peakRetries: 4_158, seconds: 59, calls: 26_853 },
    { name: 'retry-after-plus-draw', peakRetries: 549, seconds: 33.5, calls: 15_889 },
    { name: 'retry-after-plus-spread', peakRetries: 104, seconds: 25.2, calls: 10_434 },
  ])(
    '$name: a peak of $peakRetries, all served after $seconds s, $calls calls',
    ({ name, peakRetries, seconds, calls }) => {
      const results = herds(name, asking)
      expectAround(spreadOf(results, peak), peakRetries, 0.01)
      expectAround(spreadOf(results, servedAtMs), seconds * 1_000, 0.01)
      expectAround(spreadOf(results, totalCalls), calls, 0.002)
    },
  )

  it('is what the preset’s own limits leave room for: 4 retries in 30 s serve everybody', () => {
    const served = spreadOf(herds('preset', asking), result => result.served)
    expect(served.least).toBe(4_200)
  })
})
