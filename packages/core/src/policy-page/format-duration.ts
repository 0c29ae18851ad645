const UNITS: readonly [ms: number, name: string][] = [
  [86_400_000, 'days'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
]

/**
 * `200 ms`, `1.5 s`, `90 s`, `5 min`, `20 h`, `15 days`: in the largest unit of which there are two, seconds
 * from one on. `no limit` for `Infinity`.
 *
 * @example
 * formatDuration(1_500) // => '1.5 s'
 */
export function formatDuration(ms: number): string {
  if (ms === Infinity) return 'no limit'
  const [unitMs, unit] = UNITS.find(([size]) => ms >= (size > 1_000 ? 2 * size : size)) ?? [1, 'ms']
  return `${Number((Math.round(ms) / unitMs).toFixed(3))} ${unit}`
}

/**
 * The same of a mean or an estimate, to three digits.
 *
 * @example
 * formatEstimate(7_936) // => '7.94 s'
 */
export function formatEstimate(ms: number): string {
  return formatDuration(ms > 0 && ms < Infinity ? Number(ms.toPrecision(3)) : ms)
}
