import type { HerdResult } from '../herd-result.ts'

/** What one policy made of the herd. */
export interface StormResult extends HerdResult {
  policy: string
}

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

/** `4,158`; a fraction to its first digit. */
export function formatCount(number: number): string {
  return count.format(number)
}

/** `7.4 s`, and `never` for what did not happen. */
export function formatSeconds(ms: number | undefined): string {
  return ms === undefined ? 'never' : `${(ms / 1_000).toFixed(1)} s`
}

/** `266 retries-exhausted`, one after another; `-` where nobody gave up. */
export function formatReasons({ gaveUpBecause, stillTrying }: HerdResult): string {
  const reasons = Object.entries(gaveUpBecause).map(([why, n]) => `${formatCount(n)} ${why}`)
  if (stillTrying > 0) reasons.push(`${formatCount(stillTrying)} still trying`)
  return reasons.join(', ') || '-'
}

/** Where a time axis ends that all of them are to have: after the last slot with a call. */
export function lastCallMs(results: readonly HerdResult[]): number {
  return Math.max(0, ...results.map(({ callsPerSlot, slotMs }) => callsPerSlot.length * slotMs))
}
