import { createHash } from 'node:crypto'
import { seededRandom } from '@query-retry/core/testing'

/**
 * Draws for one thing in a plan, named by its path: `new Draws(7, 'order', 12, 'a1', 'attempt', 0)`.
 *
 * Every path has a stream of its own and none is shared, so that what is drawn for one client does
 * not depend on how many draws the others made before.
 */
export class Draws {
  readonly #random: () => number

  constructor(seed: number, ...path: readonly (string | number)[]) {
    const digest = createHash('sha256')
      .update([seed, ...path].join('/'))
      .digest()
    this.#random = seededRandom(digest.readInt32BE())
  }

  /** A number in [0, 1). */
  ratio(): number {
    return this.#random()
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.#random() * (max - min + 1))
  }

  chance(ratio: number): boolean {
    return this.#random() < ratio
  }

  oneOf<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[Math.floor(this.#random() * items.length)] ?? items[0]
  }

  /** The same items in a drawn order (Fisher-Yates). */
  shuffle<Item>(items: readonly Item[]): Item[] {
    const shuffled = [...items]
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = this.between(0, last)
      const [item, otherItem] = [shuffled[last], shuffled[other]]
      shuffled[last] = otherItem as Item
      shuffled[other] = item as Item
    }
    return shuffled
  }
}
