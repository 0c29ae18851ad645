import type { HerdResult } from '@query-retry/lab'

/** A stretch of time in a plot, with the most calls in any of its slots. */
export interface Column {
  fromMs: number
  calls: number
  retries: number
}

/** More than these are finer than a screen. */
const MAX_COLUMNS = 240

/** How many slots a column stands for where plots of so many are drawn on one axis. */
export function slotsPerColumn(slots: number): number {
  return Math.max(1, Math.ceil(slots / MAX_COLUMNS))
}

/**
 * The curve of a herd in few enough columns to be drawn. Each is as high as its highest slot: peaks are what the
 * picture is about, and averages hide them.
 */
export function columnsOf(
  {
    callsPerSlot,
    retriesPerSlot,
    slotMs,
  }: Pick<HerdResult, 'callsPerSlot' | 'retriesPerSlot' | 'slotMs'>,
  slots: number,
): Column[] {
  const columns: Column[] = []
  for (let slot = 0; slot < callsPerSlot.length; slot += slots) {
    columns.push({
      fromMs: slot * slotMs,
      calls: Math.max(...callsPerSlot.slice(slot, slot + slots)),
      retries: Math.max(...retriesPerSlot.slice(slot, slot + slots)),
    })
  }
  return columns
}

/** When the retries peak for the first time; undefined where there are none. */
export function retryPeakAtMs({
  retriesPerSlot,
  peakRetriesPerSlot,
  slotMs,
}: HerdResult): number | undefined {
  if (peakRetriesPerSlot === 0) return undefined
  return retriesPerSlot.indexOf(peakRetriesPerSlot) * slotMs
}
