import { readSettings } from '../src/settings.ts'

/** What was asked for cannot be done. The message is one line: option, value, and what is accepted. */
export class OptionError extends Error {
  readonly code = 'option'

  constructor(option: string, value: string, accepted: string) {
    super(`${option} ${value}: ${accepted}`)
    this.name = 'OptionError'
  }
}

export const LARGEST_SEED = 2 ** 32 - 1

/** @throws OptionError for anything but a whole number in that range */
export function readNumber(
  option: string,
  value: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  if (/^\d+$/.test(value) && number >= min && number <= max) return number
  throw new OptionError(option, value, `a whole number from ${min} to ${max}`)
}

/**
 * The PostgreSQL server that a run takes place on: `DATABASE_URL`, else `TEST_DATABASE_URL`.
 *
 * @throws OptionError where neither is set, SettingError for an address that is none
 */
export function readServerUrl(env: Readonly<Record<string, string | undefined>>): string {
  const serverUrl = env.DATABASE_URL || env.TEST_DATABASE_URL
  if (!serverUrl) {
    throw new OptionError(
      'DATABASE_URL',
      'is not set',
      'a chaos run needs a PostgreSQL server on which it may create a database, for example DATABASE_URL=postgres://postgres@127.0.0.1:5432/postgres',
    )
  }
  readSettings({ DATABASE_URL: serverUrl })
  return serverUrl
}

/** The first sentence of what `parseArgs` says of a command line that it does not take. */
export function explainArguments(args: readonly string[], error: unknown, accepted: string) {
  const reason = error instanceof Error ? error.message : String(error)
  return new OptionError(args.join(' '), `(${reason.split('. ')[0]})`, accepted)
}
