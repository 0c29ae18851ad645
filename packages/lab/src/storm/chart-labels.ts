import type { HerdResult } from '../herd-result.ts'
import { formatCount } from './figures.ts'
import { findTeeth } from './teeth.ts'

/** A number written where it belongs in a chart. */
export interface ChartLabel {
  atMs: number
  calls: number
  text: string
  /** Which end of the text is at the place. */
  anchor: 'start' | 'middle' | 'end'
  /** It stands beside its place, outside the chart, and not above it. */
  isBeside?: boolean
}

/**
 * Names the teeth of a policy that has them, and the peak of one that spreads its retries.
 *
 * @param lastMs - where the time axis ends
 * @param apartMs - labels closer than this would cover each other: the lower one is left out
 */
export function labelRetries(
  { slotMs, retriesPerSlot, peakRetriesPerSlot }: HerdResult,
  lastMs: number,
  apartMs: number,
): ChartLabel[] {
  if (peakRetriesPerSlot === 0) return []
  const at = (slot: number) => (slot + 0.5) * slotMs
  const teeth = findTeeth({ retriesPerSlot, peakRetriesPerSlot })
  if (teeth.length === 0) {
    const atMs = at(retriesPerSlot.indexOf(peakRetriesPerSlot))
    const text = `at most ${formatCount(peakRetriesPerSlot)}`
    const anchor = atMs < lastMs / 2 ? 'start' : 'end'
    return [{ atMs, calls: peakRetriesPerSlot, text, anchor }]
  }
  const labels: ChartLabel[] = []
  const callsIn = (slot: number) => retriesPerSlot[slot] as number
  for (const slot of teeth.toSorted((a, b) => callsIn(b) - callsIn(a))) {
    const atMs = at(slot)
    const calls = callsIn(slot)
    if (labels.some(label => Math.abs(label.atMs - atMs) < apartMs)) continue
    // Half of it would be on the numbers of the axis.
    const anchor = atMs < apartMs / 2 ? 'start' : 'middle'
    labels.push({ atMs, calls, text: formatCount(calls), anchor })
  }
  return labels
}
