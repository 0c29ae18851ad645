import { describe, expect, it } from 'vitest'
import { findTeeth } from './teeth.ts'

function teethOf(retriesPerSlot: number[]): number[] {
  return findTeeth({ retriesPerSlot, peakRetriesPerSlot: Math.max(0, ...retriesPerSlot) })
}

describe('findTeeth', () => {
  it.each([
    { herd: 'comes back at once', retries: [0, 0, 90, 0, 80, 0], teeth: [2, 4] },
    { herd: 'comes back in one slot and its edges', retries: [0, 10, 90, 10], teeth: [2] },
    { herd: 'is spread', retries: [0, 40, 42, 39, 41, 20], teeth: [] },
    { herd: 'comes back in slots side by side', retries: [90, 80, 70], teeth: [] },
    { herd: 'is spread, with a straggler at its end', retries: [40, 42, 39, 0, 30, 0], teeth: [] },
    { herd: 'does not retry', retries: [], teeth: [] },
    { herd: 'has none but zeros', retries: [0, 0], teeth: [] },
  ])('finds $teeth where the herd $herd', ({ retries, teeth }) => {
    expect(teethOf(retries)).toEqual(teeth)
  })

  it('leaves out what is less than a third of the peak', () => {
    expect(teethOf([0, 90, 0, 29, 0, 30])).toEqual([1, 5])
  })
})
