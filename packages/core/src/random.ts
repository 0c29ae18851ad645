/** A source of randomness: each call gives a number in [0, 1), as `Math.random` does. */
export type Random = () => number

/**
 * Draws a whole number from `low` to `high`, both included, each equally likely.
 *
 * Whole numbers because timers take whole milliseconds: rounding a real draw afterwards would give
 * the two ends half the share of the others. A source outside [0, 1), NaN included, cannot push the
 * result outside the interval.
 */
export function drawBetween(low: number, high: number, random: Random): number {
  const draw = low + Math.floor(random() * (high - low + 1))
  return draw >= low ? Math.min(draw, high) : low
}
