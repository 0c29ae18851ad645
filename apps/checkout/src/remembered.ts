/**
 * What this browser remembers of a choice. Storage may be missing, full or forbidden (private
 * windows, blocked cookies); the shop then simply forgets.
 */
export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(`ink-and-leaf:${key}`) ?? undefined
  } catch {
    return undefined
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`ink-and-leaf:${key}`, value)
  } catch {
    // Forgetting is the answer, see above.
  }
}
