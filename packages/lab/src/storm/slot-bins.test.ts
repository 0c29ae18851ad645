import { describe, expect, it } from 'vitest'
import type { HerdResult } from '../herd-result.ts'
import { binSlots, slotsPerBin } from './slot-bins.ts'

describe('slotsPerBin', () => {
  it.each([
    { slots: 137, size: 1 },
    { slots: 280, size: 1 },
    { slots: 281, size: 2 },
    { slots: 36_000, size: 129 },
  ])('puts $size in a bin where the chart has $slots slots', ({ slots, size }) => {
    expect(slotsPerBin(100, slots * 100)).toBe(size)
  })
})

describe('binSlots', () => {
  it('shows the busiest slot of each bin, so that a peak keeps its height', () => {
    const callsPerSlot = [9, 1, 0, 7, 3]
    const result = { slotMs: 100, callsPerSlot, retriesPerSlot: [0, 1, 0, 7, 2] } as HerdResult
    expect(binSlots(result, 560 * 100)).toEqual([
      { fromMs: 0, toMs: 200, calls: 9, retries: 1 },
      { fromMs: 200, toMs: 400, calls: 7, retries: 7 },
      { fromMs: 400, toMs: 600, calls: 3, retries: 2 },
    ])
  })
})
