import { fileURLToPath } from 'node:url'
import { SettingError } from '../setting-error.ts'
import { readSettings as readShopSettings } from '../settings.ts'

/** What the environment says, checked. */
export interface ProviderSettings {
  port: number
  host: string
  dataDir: string
  keyRetentionMs: number
}

/** Beside the shop's embedded database, with a lock of its own. */
const DEFAULT_DATA_DIR = fileURLToPath(new URL('../../.data/provider', import.meta.url))
const HOUR_MS = 3_600_000
const MOST_HOURS = 8_760

/**
 * Reads `PORT` (8788), `HOST` (127.0.0.1), `DATA_DIR` (`.data/provider` in this package) and
 * `KEY_RETENTION_HOURS` (24). An empty variable counts as unset.
 *
 * @throws SettingError naming variable, value and fix
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): ProviderSettings {
  const { port, host, dataDir } = readShopSettings({
    PORT: env.PORT || '8788',
    HOST: env.HOST,
    DATA_DIR: env.DATA_DIR || DEFAULT_DATA_DIR,
  })
  return {
    port,
    host,
    dataDir,
    keyRetentionMs: readHours(env.KEY_RETENTION_HOURS || '24') * HOUR_MS,
  }
}

function readHours(value: string): number {
  const hours = Number(value)
  if (/^\d{1,4}(\.\d{1,4})?$/.test(value) && hours > 0 && hours <= MOST_HOURS) return hours
  throw new SettingError(
    'KEY_RETENTION_HOURS',
    value,
    'is not a number of hours',
    `Give a number above 0 and up to ${MOST_HOURS}, for example KEY_RETENTION_HOURS=24.`,
  )
}
