import type { Random } from '@query-retry/core'

/**
 * When a client makes its first call.
 *
 * @param client - from 0
 * @returns milliseconds from the start of the simulation, 0 or more
 */
export type Arrivals = (client: number, random: Random) => number

/** Everybody at 0 ms: a deployment, an expired cache, a server that fails all open requests. */
export function allAtOnce(): Arrivals {
  return () => 0
}

/** Each client in a millisecond of its own choice, evenly distributed over the first `overMs`. */
export function spreadOver(overMs: number): Arrivals {
  return (_, random) => Math.floor(random() * overMs)
}

/** One client after another at equal distances, to the millisecond, `perSecond` of them each second. */
export function steadyRate(perSecond: number): Arrivals {
  return client => Math.floor((client * 1_000) / perSecond)
}
