import type { Random } from '@query-retry/core'

/** How long the server takes to answer: the same for every call in milliseconds, or a draw for each. */
export type AnswerTime = number | ((random: Random) => number)

/** The standard normal distribution's 99th percentile. */
const P99 = 2.326_347_874

/**
 * Answer times as servers have them: most near the median, a few much later (log-normal).
 *
 * @param medianMs - half of the calls are answered by then; above 0
 * @param p99Ms - 99 % of the calls are; at least `medianMs`
 */
export function logNormalAnswers(medianMs: number, p99Ms: number): (random: Random) => number {
  const sigma = Math.log(p99Ms / medianMs) / P99
  return random => medianMs * Math.exp(sigma * standardNormal(random))
}

/** @see Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958) */
function standardNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
