import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { redactPassword } from './database/redact-password.ts'
import { SettingError } from './setting-error.ts'

/** What the environment says, checked. */
export interface Settings {
  port: number
  host: string
  /** A PostgreSQL server; undefined means the embedded database in `dataDir`. */
  databaseUrl: string | undefined
  dataDir: string
  faults: boolean
  /** Origins whose pages may read the answers; undefined means any page served from this machine. */
  allowedOrigins: readonly string[] | undefined
}

const DEFAULT_DATA_DIR = fileURLToPath(new URL('../.data', import.meta.url))

/**
 * Reads `PORT` (8787), `HOST` (127.0.0.1), `DATABASE_URL`, `DATA_DIR` (`.data` in this package),
 * `FAULTS` (0) and `ALLOWED_ORIGIN`. An empty variable counts as unset.
 *
 * @throws SettingError naming variable, value and fix
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  return {
    port: readPort(env.PORT || '8787'),
    host: env.HOST || '127.0.0.1',
    databaseUrl: env.DATABASE_URL ? readDatabaseUrl(env.DATABASE_URL) : undefined,
    dataDir: env.DATA_DIR ? resolve(env.DATA_DIR) : DEFAULT_DATA_DIR,
    faults: readSwitch('FAULTS', env.FAULTS || '0'),
    allowedOrigins: env.ALLOWED_ORIGIN ? readOrigins(env.ALLOWED_ORIGIN) : undefined,
  }
}

function readPort(value: string): number {
  const port = Number(value)
  if (/^\d{1,5}$/.test(value) && port <= 65_535) return port
  throw new SettingError(
    'PORT',
    value,
    'is not a port',
    'Give a whole number from 0 to 65535 (0 takes any free one), for example PORT=8787.',
  )
}

function readDatabaseUrl(value: string): string {
  const protocol = URL.canParse(value) ? new URL(value).protocol : undefined
  if (protocol === 'postgres:' || protocol === 'postgresql:') return value
  throw new SettingError(
    'DATABASE_URL',
    redactPassword(value),
    'is not a PostgreSQL address',
    'Give one like postgres://user:password@localhost:5432/checkout, or leave it out for the embedded database.',
  )
}

function readSwitch(setting: string, value: string): boolean {
  if (value === '0' || value === '1') return value === '1'
  throw new SettingError(setting, value, 'is neither 0 nor 1', `Give ${setting}=1 to switch it on.`)
}

function readOrigins(value: string): string[] {
  return value.split(',').map(entry => {
    const origin = entry.trim()
    if (origin === '*') return origin
    if (URL.canParse(origin) && new URL(origin).origin === origin) return origin
    throw new SettingError(
      'ALLOWED_ORIGIN',
      value,
      `holds ${JSON.stringify(origin)}, which is not an origin`,
      'Give scheme, host and port without a path, several separated by commas, for example ALLOWED_ORIGIN=http://localhost:5173.',
    )
  })
}
