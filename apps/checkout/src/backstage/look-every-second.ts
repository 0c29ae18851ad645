const EVERY_MS = 1_000

/**
 * Looks at something now, and a second after each look has ended: a slow answer must not pile up questions.
 *
 * @param read - its result goes to `show`, unless nobody looks any more by then
 * @returns ends it
 */
export function lookEverySecond<Found>(
  read: () => Promise<Found>,
  show: (found: Found) => void,
): () => void {
  let isOver = false
  let timer: ReturnType<typeof setTimeout>
  const look = async () => {
    const found = await read()
    if (isOver) return
    show(found)
    timer = setTimeout(look, EVERY_MS)
  }
  void look()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
