/** A source of randomness: each call gives a number in [0, 1), as `Math.random` does. */
export type Random = () => number

/**
 * Draws a whole number from `low` to `high`, both included, each equally likely; where none lies between, the
 * next above `low`.
 *
 * Whole numbers because timers take whole milliseconds: rounding a real draw afterwards would give
 * the two ends half the share of the others. A source outside [0, 1), NaN included, cannot push the
 * result outside the interval.
 */
export function drawBetween(low: number, high: number, random: Random): number {
  const first = Math.ceil(low)
  const last = Math.max(first, Math.floor(high))
  const draw = first + Math.floor(random() * (last - first + 1))
  return draw >= first ? Math.min(draw, last) : first
}
