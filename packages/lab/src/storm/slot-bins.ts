import type { HerdResult } from '../herd-result.ts'

/** One or more slots, as one step of a chart. */
export interface SlotBin {
  fromMs: number
  toMs: number
  /** Of the busiest slot among them. */
  calls: number
  /** The same without first attempts; of the slot with most of these. */
  retries: number
}

/** As many steps as a chart has room for on a desk; on a phone they are as wide as a pixel. */
const BINS = 280

/** How many slots one bin holds, so that a chart that ends at `lastMs` has no more bins than there is room for. */
export function slotsPerBin(slotMs: number, lastMs: number): number {
  return Math.max(1, Math.ceil(lastMs / slotMs / BINS))
}

/**
 * The slots up to the last one with a call, as steps of a chart. A peak stays as high as it is: a bin shows its busiest
 * slot, and not an average.
 *
 * @param lastMs - where the chart ends, so that all charts have the same bins
 */
export function binSlots(
  { slotMs, callsPerSlot, retriesPerSlot }: HerdResult,
  lastMs: number,
): SlotBin[] {
  const size = slotsPerBin(slotMs, lastMs)
  return Array.from({ length: Math.ceil(callsPerSlot.length / size) }, (_, bin) => {
    const from = bin * size
    const most = (perSlot: number[]) =>
      perSlot.slice(from, from + size).reduce((peak, calls) => Math.max(peak, calls), 0)
    return {
      fromMs: from * slotMs,
      toMs: (from + size) * slotMs,
      calls: most(callsPerSlot),
      retries: most(retriesPerSlot),
    }
  })
}
