import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import {
  explainArguments,
  LARGEST_SEED,
  OptionError,
  readNumber,
  readServerUrl,
} from '@query-retry/checkout-api/chaos'
import { BROKEN_CLIENTS } from './broken-clients.ts'

/** What the command line asks for. */
export interface Options {
  /** Of the whole run; drawn where none is given. */
  seed: number
  checkouts: number
  /** Every broken client, in place of the shop's own. */
  teeth: boolean
  client: string | undefined
  /** The server has no guard of an order: nothing but the client's keys keeps it from a second charge. */
  unguarded: boolean
  serverUrl: string
}

const DEFAULT_CHECKOUTS = 500
const MOST_CHECKOUTS = 10_000

/** @throws OptionError, or SettingError for an address that is none */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options {
  const { seed, checkouts, client, teeth = false, unguarded = false } = parse(args)
  if (client !== undefined && !Object.hasOwn(BROKEN_CLIENTS, client)) {
    const accepted = `one of ${Object.keys(BROKEN_CLIENTS).join(', ')}`
    throw new OptionError('--client', client, accepted)
  }
  if (teeth && (client !== undefined || checkouts !== undefined)) {
    const other = client === undefined ? `--checkouts ${checkouts}` : `--client ${client}`
    throw new OptionError('--teeth', `with ${other}`, 'runs every client with checkouts of its own')
  }
  if (unguarded && (teeth || client !== undefined)) {
    const other = teeth ? '--teeth' : `--client ${client}`
    throw new OptionError('--unguarded', `with ${other}`, "runs the shop's own client alone")
  }
  const ownCheckouts = client === undefined ? undefined : BROKEN_CLIENTS[client]?.checkouts
  return {
    seed: readNumber('--seed', seed, 0, LARGEST_SEED) ?? randomInt(LARGEST_SEED),
    checkouts:
      readNumber('--checkouts', checkouts, 1, MOST_CHECKOUTS) ?? ownCheckouts ?? DEFAULT_CHECKOUTS,
    serverUrl: readServerUrl(env),
    ...{ teeth, client, unguarded },
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        checkouts: { type: 'string' },
        client: { type: 'string' },
        teeth: { type: 'boolean' },
        unguarded: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    const accepted = '--seed <number>, --checkouts <number>, --client <name>, --unguarded, --teeth'
    throw explainArguments(args, error, accepted)
  }
}
