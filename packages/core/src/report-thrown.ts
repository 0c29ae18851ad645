/** Says on the console what the caller's own function threw (an option, a listener), since it cannot go anywhere else. */
export function reportThrown(error: unknown): void {
  console.error('[query-retry]', error)
}
