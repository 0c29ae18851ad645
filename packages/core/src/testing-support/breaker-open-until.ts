import type { RunBreaker } from '../run-with-retry.ts'

/** Open until the instant it is given, then closed. */
export function breakerOpenUntil(
  nextProbeAtMs: number | undefined,
  isOpen: () => boolean,
): RunBreaker & { refusals: number } {
  return {
    nextProbeAtMs,
    refusals: 0,
    async run(operation) {
      if (isOpen()) {
        this.refusals++
        throw Object.assign(new Error('open'), { code: 'CIRCUIT_OPEN' })
      }
      return operation()
    },
  }
}
