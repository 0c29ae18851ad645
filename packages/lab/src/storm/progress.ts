/** Between two drawings, and before the first: short runs stay silent. */
const EVERY_MS = 200

/**
 * Says on a terminal how far a long run is. Writes nothing where `stream` is none.
 *
 * @returns what is told how many clients are done; `clear` wipes the line
 */
export function createProgress(
  stream: { isTTY?: boolean; write(text: string): unknown },
  nowMs: () => number,
): { report(policy: string, done: number, clients: number): void; clear(): void } {
  let drawnAtMs = nowMs()
  let isDrawn = false
  return {
    report(policy, done, clients) {
      if (!stream.isTTY || nowMs() - drawnAtMs < EVERY_MS) return
      drawnAtMs = nowMs()
      isDrawn = true
      const share = done / clients
      const bar = '█'.repeat(Math.round(share * 30)).padEnd(30, '░')
      stream.write(`\r\x1b[K${bar} ${Math.floor(share * 100)} % of the clients done: ${policy}`)
    },
    clear() {
      if (isDrawn) stream.write('\r\x1b[K')
      isDrawn = false
    },
  }
}
