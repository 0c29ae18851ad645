import { createApp } from './app.ts'
import { openDatabase } from './database/open-database.ts'
import { createFaultSwitches } from './faults/fault-switches.ts'
import { listen } from './listen.ts'

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
  /** What a person watching the process wants to know, line by line. Default: nowhere. */
  log?: ((line: string) => void) | undefined
}

export interface RunningServer {
  /** For example `http://127.0.0.1:8787`, without a trailing slash. */
  url: string
  /** Ends hung and slow calls, lets the others finish, closes the database. May be called twice. */
  close(): Promise<void>
}

/**
 * Starts the shop's server and resolves when it answers.
 *
 * @throws SettingError when port or database cannot be had
 * @example
 * const server = await startServer({ faults: true }) // in memory, on a free port
 * const cart = await (await fetch(`${server.url}/cart`)).json()
 * await server.close()
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { port = 0, host = '127.0.0.1', log, allowedOrigins } = options
  const faults = options.faults ? createFaultSwitches(options.random) : undefined

  // The port comes first: one that is taken should be known before a database is created for it.
  // Calls that come early wait for the database.
  let start: () => void = () => undefined
  const started = new Promise<void>(resolve => {
    start = resolve
  })
  const opening = started.then(async () => {
    const database = await openDatabase(options)
    return { database, app: createApp({ database, faults, allowedOrigins, log }) }
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
    const { database } = await opening
    let closed: Promise<void> | undefined
    return {
      url: listener.url,
      close() {
        closed ??= (async () => {
          faults?.close()
          await listener.close()
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
