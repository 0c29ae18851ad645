/** What happened to each checkout, in order of time: what a violation is told with. */
export class Chronicle {
  readonly #startedAtMs = performance.now()
  readonly #lines = new Map<string, string[]>()

  note(checkout: string, what: string): void {
    const seconds = ((performance.now() - this.#startedAtMs) / 1_000).toFixed(3)
    const line = `${seconds.padStart(8)} s  ${what}`
    const lines = this.#lines.get(checkout)
    if (lines) lines.push(line)
    else this.#lines.set(checkout, [line])
  }

  read(checkout: string): readonly string[] {
    return this.#lines.get(checkout) ?? []
  }
}
