/** Counts what really happened, by name. A fault that never hit anything proves nothing. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string, count = 1): void {
    this.#counts.set(name, this.count(name) + count)
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** What begins with `prefix`, without it, most frequent first. */
  list(prefix: string): { name: string; count: number }[] {
    return [...this.#counts]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, count]) => ({ name: name.slice(prefix.length), count }))
      .sort((one, other) => other.count - one.count)
  }
}
