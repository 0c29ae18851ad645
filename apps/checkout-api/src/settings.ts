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
  providerUrl: string
  providerTimeoutMs: number
  leaseMs: number
  completeEveryMs: number
}

const DEFAULT_DATA_DIR = fileURLToPath(new URL('../.data', import.meta.url))

/**
 * Reads `PORT` (8787), `HOST` (127.0.0.1), `DATABASE_URL`, `DATA_DIR` (`.data` in this package),
 * `FAULTS` (0), `ALLOWED_ORIGIN`, `PROVIDER_URL` (http://127.0.0.1:8788),
 * `PROVIDER_TIMEOUT_MS` (10000), `LEASE_MS` (30000) and `COMPLETE_EVERY_MS` (2000). An empty variable
 * counts as unset.
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
    providerUrl: readProviderUrl(env.PROVIDER_URL || 'http://127.0.0.1:8788'),
    providerTimeoutMs: readDuration('PROVIDER_TIMEOUT_MS', env.PROVIDER_TIMEOUT_MS || '10000'),
    leaseMs: readDuration('LEASE_MS', env.LEASE_MS || '30000'),
    completeEveryMs: readDuration('COMPLETE_EVERY_MS', env.COMPLETE_EVERY_MS || '2000'),
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

function readProviderUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.origin === value.replace(/\/$/, ''))
    return url.origin
  throw new SettingError(
    'PROVIDER_URL',
    redactPassword(value),
    'is not the address of a payment provider',
    'Give scheme, host and port without a path, for example http://127.0.0.1:8788.',
  )
}

const LONGEST_DURATION_MS = 3_600_000

function readDuration(setting: string, value: string): number {
  const duration = Number(value)
  if (/^\d{1,7}$/.test(value) && duration >= 1 && duration <= LONGEST_DURATION_MS) return duration
  throw new SettingError(
    setting,
    value,
    'is not a duration',
    `Give whole milliseconds from 1 to ${LONGEST_DURATION_MS}, for example ${setting}=10000.`,
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
