import type { Random } from '../random.ts'

/**
 * A repeatable source of randomness: the same seed gives the same draws. For tests and simulations,
 * never for keys.
 *
 * @param seed - any number; its lowest 32 bits count
 * @see mulberry32, Tommy Ettinger, public domain
 * @example
 * seededRandom(1)() === seededRandom(1)() // => true
 */
export function seededRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
