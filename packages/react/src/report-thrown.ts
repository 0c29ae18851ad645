/** Says on the console what the caller's own function threw (an option, a listener), since it cannot go anywhere else. */
export function reportThrown(error: unknown): void {
  console.error('[query-retry]', error)
}

/** What a caller's own function gives; undefined where it throws, which is reported. */
export function ask<T>(option: () => T): T | undefined {
  try {
    return option()
  } catch (error) {
    reportThrown(error)
    return undefined
  }
}
