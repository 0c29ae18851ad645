import type { Random } from '@query-retry/core'
import { seededRandom } from '@query-retry/core/testing'

/** Where each part of a simulation gets its chances from. */
export interface RandomStreams {
  arrivals: Random
  server: Random
  policy: Random
  breakers: Random
}

/**
 * Makes one seed into a source for each part, so that two policies meet the same arrivals and the same
 * server: what differs in the result is the policy's doing.
 */
export function randomStreams(seed: number): RandomStreams {
  const seeds = seededRandom(seed)
  const next = () => seededRandom(seeds() * 2 ** 32)
  return { arrivals: next(), server: next(), policy: next(), breakers: next() }
}
