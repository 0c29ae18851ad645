const BARS = '▁▂▃▄▅▆▇█'

/**
 * A curve in one line of text.
 *
 * @param values - one for each equal part of time; a column shows the largest of those that it stands for
 * @param width - columns for `length` values; fewer values make a shorter line
 * @param most - what a full bar stands for. 0 is blank, anything above it at least the lowest bar.
 */
export function sparkline(
  values: readonly number[],
  { width, length, most }: { width: number; length: number; most: number },
): string {
  const perColumn = Math.max(1, length / width)
  const columns = Math.ceil(values.length / perColumn)
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor(column * perColumn)
    const part = values.slice(from, Math.max(from + 1, Math.floor((column + 1) * perColumn)))
    const value = Math.max(0, ...part)
    return value > 0 ? BARS[Math.min(7, Math.ceil((value / most) * 8) - 1)] : ' '
  }).join('')
}
