/** What was asked for cannot be done. The message is one line: flag, value, and what is accepted. */
export class FlagError extends Error {
  override readonly name = 'FlagError'
  readonly code = 'FLAG'

  constructor(flag: string, value: string, accepted: string) {
    super(`${flag} ${value}: must be ${accepted}`)
  }
}

/** @throws {FlagError} for anything but a number in that range */
export function readNumber(
  flag: string,
  value: string | undefined,
  [low, high, kind]: readonly [low: number, high: number, kind?: 'whole '],
): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  const isAccepted = value.trim() !== '' && number >= low && number <= high
  if (isAccepted && !(kind && number % 1)) return number
  throw new FlagError(flag, value, `a ${kind ?? ''}number from ${low} to ${high}`)
}

const UNIT_MS: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, m: 60_000 }

/**
 * Reads `500`, `500ms`, `60s` or `2m`.
 *
 * @returns milliseconds
 * @throws {FlagError} for anything else, and for what is shorter than `lowMs` or longer than `highMs`
 */
export function readDuration(
  flag: string,
  value: string | undefined,
  lowMs = 0,
  highMs = 2 ** 31 - 1,
): number | undefined {
  if (value === undefined) return undefined
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(value) ?? []
  const ms = Number(digits) * (UNIT_MS[unit] as number)
  if (ms >= lowMs && ms <= highMs) return ms
  const accepted = `milliseconds from ${lowMs} to ${highMs}, or a time such as 500ms, 60s or 2m`
  throw new FlagError(flag, value, accepted)
}
