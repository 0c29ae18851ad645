import type { HerdResult } from '../herd-result.ts'

/**
 * The slots in which a herd comes back together: each has at least a third of the peak and more than twice of what
 * comes in the slots beside it, and all of them have most of the retries.
 *
 * @returns slot numbers, ascending; none for a policy that spreads its retries
 */
export function findTeeth({
  retriesPerSlot,
  peakRetriesPerSlot,
}: Pick<HerdResult, 'retriesPerSlot' | 'peakRetriesPerSlot'>): number[] {
  const at = (slot: number) => retriesPerSlot[slot] ?? 0
  const teeth = [...retriesPerSlot.keys()].filter(slot => {
    const beside = Math.max(at(slot - 1), at(slot + 1))
    return at(slot) > 0 && at(slot) >= peakRetriesPerSlot / 3 && at(slot) > 2 * beside
  })
  const sum = (slots: Iterable<number>) => [...slots].reduce((total, slot) => total + at(slot), 0)
  return 2 * sum(teeth) > sum(retriesPerSlot.keys()) ? teeth : []
}
