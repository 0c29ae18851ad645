import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { BROKEN_VARIANTS } from './broken-variants.ts'
import {
  explainArguments,
  LARGEST_SEED,
  OptionError,
  readNumber,
  readServerUrl,
} from './command-line.ts'

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

const DEFAULT_ORDERS = 1_000
const MOST_ORDERS = 100_000

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
  const serverUrl = readServerUrl(env)
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
    throw explainArguments(
      args,
      error,
      '--seed <number>, --orders <number>, --variant <name>, --teeth',
    )
  }
}
