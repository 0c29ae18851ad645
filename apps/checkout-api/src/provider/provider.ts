import { setMaxListeners } from 'node:events'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { crossOrigin, refuseForeignPages } from '../cross-origin.ts'
import { type Listener, listen } from '../listen.ts'
import { answerProblem } from '../problem.ts'
import { Cashier } from './cashier.ts'
import { type ChargeDesk, chargeRoutes } from './charge-routes.ts'
import { FaultPlan } from './fault-plan.ts'
import { faultRoutes } from './fault-routes.ts'
import { openLedger } from './open-ledger.ts'

export interface ProviderOptions {
  /** Default 0: any free port. */
  port?: number | undefined
  /** Default 127.0.0.1. */
  host?: string | undefined
  /** Folder of the ledger, for one process at a time. Without it the ledger lives in memory. */
  dataDir?: string | undefined
  /** A repeat later than this charges again. Default 24 hours, as at Stripe. */
  keyRetentionMs?: number | undefined
  /** Draws for faults with a `share`, in [0, 1). Default Math.random. */
  random?: (() => number) | undefined
  /** Wall clock, Unix milliseconds. Default Date.now. */
  nowEpochMs?: (() => number) | undefined
  /** What a person watching the process wants to know, line by line. Default: nowhere. */
  log?: ((line: string) => void) | undefined
}

export interface RunningProvider {
  /** For example `http://127.0.0.1:8788`, without a trailing slash. */
  url: string
  /** Sends slow answers at once, lets other calls finish, closes the ledger. May be called twice. */
  close(): Promise<void>
}

const DAY_MS = 86_400_000

/**
 * Starts the demo's payment provider and resolves when it answers. It stands where Stripe or Toss
 * Payments would, and shares nothing with the shop: no database, no clock, no memory.
 *
 * @throws SettingError when the port or the ledger cannot be had
 * @example
 * const provider = await startProvider() // in memory, on a free port
 * await fetch(`${provider.url}/ledger`)
 * await provider.close()
 */
export async function startProvider(options: ProviderOptions = {}): Promise<RunningProvider> {
  const { port = 0, host = '127.0.0.1', keyRetentionMs = DAY_MS, nowEpochMs = Date.now } = options
  const log = options.log ?? (() => undefined)
  const { ledger, close: closeLedger } = await openLedger(options.dataDir, log)
  const cashier = new Cashier({ ledger, keyRetentionMs, nowEpochMs, log })
  const closing = new AbortController()
  // One for each slow answer: thousands of them are a demo, not a leak.
  setMaxListeners(0, closing.signal)
  const faults = new FaultPlan(options.random)
  const app = createApp({ cashier, ledger, faults, closing: closing.signal }, log)

  let listener: Listener
  try {
    listener = await listen({
      port,
      host,
      // A caller that never reuses a connection never meets one that has just been closed.
      keepAlive: false,
      answer: (request, bindings) => app.fetch(request, bindings),
    })
  } catch (error) {
    await closeLedger()
    throw error
  }
  let closed: Promise<void> | undefined
  return {
    url: listener.url,
    close() {
      closed ??= (async () => {
        closing.abort()
        await listener.close()
        cashier.close()
        await closeLedger()
      })()
      return closed
    },
  }
}

function createApp(desk: ChargeDesk, log: (line: string) => void) {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(async (context, next) => {
    context.header('Cache-Control', 'no-store')
    await next()
  })
  // Pages may look at the ledger and set faults; charging is for servers.
  app.use(refuseForeignPages())
  app.use('/ledger', crossOrigin(undefined))
  app.use('/faults', crossOrigin(undefined))

  app.route('/', faultRoutes(desk.faults))
  app.route('/', chargeRoutes(desk))
  app.get('/ledger', context =>
    context.json({ charges: desk.ledger.list(context.req.query('reference')) }),
  )
  app.get('/health', context => context.json({ status: 'ok' }))

  app.notFound(context =>
    answerProblem(context, { type: 'not-found', status: 404, title: 'There is nothing here' }),
  )
  app.onError((error, context) => {
    // The route, not the path: a path may hold a key.
    log(`${context.req.method} ${context.req.routePath}: ${error.stack ?? error.message}`)
    return answerProblem(context, {
      type: 'internal-error',
      status: 500,
      title: 'The provider made a mistake',
    })
  })
  return app
}
