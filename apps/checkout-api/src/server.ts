import { createApp } from './app.ts'
import type { Database } from './database/database.ts'
import { openDatabase } from './database/open-database.ts'
import { createFaultSwitches } from './faults/fault-switches.ts'
import { Idempotency } from './idempotency/idempotency.ts'
import { checkRetention, DEFAULT_RETENTION, type Retention } from './idempotency/retention.ts'
import { listen } from './listen.ts'
import { type PaymentOperation, paymentOperation } from './payments/payment-operation.ts'
import { connectProvider, type PaymentProvider } from './payments/provider-client.ts'
import { repeat } from './repeat.ts'
import { SettingError } from './setting-error.ts'

const DEFAULT_PROVIDER_URL = 'http://127.0.0.1:8788'
const DEFAULT_PROVIDER_TIMEOUT_MS = 10_000
const DEFAULT_COMPLETE_EVERY_MS = 2_000
const REAP_EVERY_MS = 3_600_000

export interface ServerOptions {
  /** Default 0: any free port. */
  port?: number | undefined
  /** Default 127.0.0.1. */
  host?: string | undefined
  /** A PostgreSQL server to use. Wins over `dataDir`. */
  databaseUrl?: string | undefined
  /** Folder of the embedded database. Without it and without `databaseUrl` data lives in memory. */
  dataDir?: string | undefined
  /** Default false. True adds the fault switches and their control routes. */
  faults?: boolean | undefined
  /** Draws for faults with a `share`, in [0, 1). Default Math.random. */
  random?: (() => number) | undefined
  /** Origins whose pages may read the answers; default: any page served from this machine. */
  allowedOrigins?: readonly string[] | undefined
  /** The payment provider. Default `http://127.0.0.1:8788`; one that is not there leaves payments unsettled. */
  providerUrl?: string | undefined
  /** Limit of one call to the provider. Default 10,000; well under `retention.leaseMs`. */
  providerTimeoutMs?: number | undefined
  /** How long leases, keys and answers last. Default DEFAULT_RETENTION. */
  retention?: Partial<Retention> | undefined
  /** Pause between looks for payments that nobody works on any more. Default 2,000. */
  completeEveryMs?: number | undefined
  /** What a person watching the process wants to know, line by line. Default: nowhere. */
  log?: ((line: string) => void) | undefined
}

export interface RunningServer {
  /** For example `http://127.0.0.1:8787`, without a trailing slash. */
  url: string
  /** Ends hung and slow calls, lets the others finish, closes the database. May be called twice. */
  close(): Promise<void>
}

/** Where a test may put something of its own between the parts; each gets the real one. */
export interface ServerSeams {
  /** What a database in memory starts from, in place of creating one. */
  initialCluster?: Blob | undefined
  database?: (database: Database) => Database
  provider?: (provider: PaymentProvider) => PaymentProvider
  payment?: (payment: PaymentOperation) => PaymentOperation
}

/**
 * Starts the shop's server and resolves when it answers.
 *
 * @throws SettingError when port or database cannot be had, or the provider's timeout does not fit
 * the lease
 * @example
 * const server = await startServer({ faults: true }) // in memory, on a free port
 * const cart = await (await fetch(`${server.url}/cart`)).json()
 * await server.close()
 */
export async function startServer(
  options: ServerOptions = {},
  seams: ServerSeams = {},
): Promise<RunningServer> {
  const { port = 0, host = '127.0.0.1', log = () => undefined, allowedOrigins } = options
  const { completeEveryMs = DEFAULT_COMPLETE_EVERY_MS } = options
  const { providerUrl = DEFAULT_PROVIDER_URL } = options
  const { providerTimeoutMs = DEFAULT_PROVIDER_TIMEOUT_MS } = options
  const retention = checkRetention({ ...DEFAULT_RETENTION, ...options.retention })
  checkProviderTimeout(providerTimeoutMs, retention.leaseMs)
  const faults = options.faults ? createFaultSwitches(options.random) : undefined

  // The port comes first: one that is taken should be known before a database is created for it.
  // Calls that come early wait for the database.
  let start: () => void = () => undefined
  const started = new Promise<void>(resolve => {
    start = resolve
  })
  const opening = started.then(async () => {
    const opened = await openDatabase({ ...options, initialCluster: seams.initialCluster })
    const database = seams.database?.(opened) ?? opened
    const client = connectProvider({ url: providerUrl, timeoutMs: providerTimeoutMs, log })
    const operation = paymentOperation(seams.provider?.(client) ?? client)
    const payment = seams.payment?.(operation) ?? operation
    const idempotency = new Idempotency({ database, retention, operations: [payment], log })
    const app = createApp({ database, idempotency, payment, faults, allowedOrigins, log })
    return { database, idempotency, app }
  })
  const listener = await listen({
    port,
    host,
    // Browsers silently repeat a GET whose kept-alive connection ended without an answer. A fault
    // that closes the connection would then be used up unseen; on a fresh one it is reported.
    keepAlive: !faults,
    answer: async (request, bindings) => (await opening).app.fetch(request, bindings),
  })
  start()
  try {
    const { database, idempotency } = await opening
    const background = [
      repeat(completeEveryMs, signal => idempotency.completeAbandoned(signal), log),
      repeat(REAP_EVERY_MS, () => idempotency.reap(), log),
    ]
    let closed: Promise<void> | undefined
    return {
      url: listener.url,
      close() {
        closed ??= (async () => {
          faults?.close()
          await listener.close()
          await Promise.all(background.map(stop => stop()))
          await database.close()
        })()
        return closed
      },
    }
  } catch (error) {
    await listener.close()
    throw error
  }
}

/** A worker that waits for the provider beyond its lease would be taken for dead while it works. */
function checkProviderTimeout(providerTimeoutMs: number, leaseMs: number): void {
  if (providerTimeoutMs < leaseMs) return
  throw new SettingError(
    'PROVIDER_TIMEOUT_MS',
    String(providerTimeoutMs),
    `is not less than LEASE_MS=${leaseMs}`,
    'A payment has to end before its lease does; give a third of the lease.',
  )
}
