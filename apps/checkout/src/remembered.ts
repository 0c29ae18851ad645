/** What could not be stored. */
const unstored = new Map<string, string>()

/**
 * What this browser remembers of a choice. Storage may be missing, full or forbidden (private
 * windows, blocked cookies); the shop then remembers for as long as the page is open.
 */
export function recall(key: string): string | undefined {
  const held = unstored.get(key)
  if (held !== undefined) return held
  try {
    return localStorage.getItem(`ink-and-leaf:${key}`) ?? undefined
  } catch {
    return undefined
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`ink-and-leaf:${key}`, value)
    unstored.delete(key)
  } catch {
    unstored.set(key, value)
  }
}
