import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { readSettings } from '../src/settings.ts'
import { BROKEN_VARIANTS } from './broken-variants.ts'

/** What the command line asks for. */
export interface Options {
  /** Of the whole run; drawn where none is given. */
  seed: number
  orders: number
  /** Every broken variant, in place of the server as it is. */
  teeth: boolean
  variant: string | undefined
  serverUrl: string
}

/** What was asked for cannot be done. The message is one line: option, value, and what is accepted. */
export class OptionError extends Error {
  readonly code = 'option'

  constructor(option: string, value: string, accepted: string) {
    super(`${option} ${value}: ${accepted}`)
    this.name = 'OptionError'
  }
}

const DEFAULT_ORDERS = 1_000
const MOST_ORDERS = 100_000
const LARGEST_SEED = 2 ** 32 - 1

/** @throws OptionError, or SettingError for an address that is none */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options {
  const { seed, orders, variant, teeth } = parse(args)
  if (variant !== undefined && !(variant in BROKEN_VARIANTS)) {
    const accepted = `one of ${Object.keys(BROKEN_VARIANTS).join(', ')}`
    throw new OptionError('--variant', variant, accepted)
  }
  if (teeth && (variant !== undefined || orders !== undefined)) {
    const other = variant === undefined ? `--orders ${orders}` : `--variant ${variant}`
    throw new OptionError('--teeth', `with ${other}`, 'runs every variant with orders of its own')
  }
  const serverUrl = env.DATABASE_URL || env.TEST_DATABASE_URL
  if (!serverUrl) {
    throw new OptionError(
      'DATABASE_URL',
      'is not set',
      'a chaos run needs a PostgreSQL server on which it may create a database, for example DATABASE_URL=postgres://postgres@127.0.0.1:5432/postgres',
    )
  }
  readSettings({ DATABASE_URL: serverUrl })
  const ownOrders = variant === undefined ? undefined : BROKEN_VARIANTS[variant]?.orders
  return {
    seed: readNumber('--seed', seed, 0, LARGEST_SEED) ?? randomInt(LARGEST_SEED),
    orders: readNumber('--orders', orders, 1, MOST_ORDERS) ?? ownOrders ?? DEFAULT_ORDERS,
    teeth: teeth ?? false,
    variant,
    serverUrl,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        orders: { type: 'string' },
        variant: { type: 'string' },
        teeth: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OptionError(
      args.join(' '),
      `(${reason.split('. ')[0]})`,
      '--seed <number>, --orders <number>, --variant <name>, --teeth',
    )
  }
}

function readNumber(
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
