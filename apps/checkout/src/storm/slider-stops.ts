import { RANGES } from './storm-settings.ts'

/**
 * Where a slider can stand: values as people choose them, each a few per cent above the one before, so that
 * they lie as on a logarithmic scale and one key press is one step.
 */
const DIGITS = [
  ...range(10, 20, 1),
  ...range(20, 50, 2), // 42 is among them
  ...range(50, 100, 5),
]

const seconds = (...values: number[]) => values.map(value => value * 1_000)

export const STOPS = {
  clients: logarithmic(RANGES.clients),
  capacity: logarithmic(RANGES.capacity),
  outageMs: seconds(0, 1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 420, 600),
  retryAfterMs: [undefined, ...seconds(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 45, 60)],
  maxRetries: range(0, 11, 1),
  capMs: seconds(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 45, 60),
  deadlineMs: seconds(5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 420, 600),
} as const satisfies Record<keyof typeof RANGES, readonly (number | undefined)[]>

/** The place of the stop that is nearest to a value, which a link may have set between two of them. */
export function nearestStop(
  stops: readonly (number | undefined)[],
  value: number | undefined,
): number {
  const distances = stops.map(stop => Math.abs((stop ?? 0) - (value ?? 0)))
  return distances.indexOf(Math.min(...distances))
}

function logarithmic([low, high]: readonly [number, number]): number[] {
  const decades = Array.from(
    { length: Math.round(Math.log10(high / low)) },
    (_, decade) => low * 10 ** decade,
  )
  return [...decades.flatMap(start => DIGITS.map(digits => (digits * start) / 10)), high]
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step)
}
