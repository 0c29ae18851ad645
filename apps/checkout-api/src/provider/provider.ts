import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { listen } from '../listen.ts'
import { answerProblem } from '../problem.ts'
import { Cashier } from './cashier.ts'
import { chargeRoutes } from './charge-routes.ts'
import { Ledger } from './ledger.ts'

export interface ProviderOptions {
  /** Default 0: any free port. */
  port?: number | undefined
  /** Default 127.0.0.1. */
  host?: string | undefined
  /** A repeat later than this charges again. Default 24 hours, as at Stripe. */
  keyRetentionMs?: number | undefined
  /** Wall clock, Unix milliseconds. Default Date.now. */
  nowEpochMs?: (() => number) | undefined
  /** What a person watching the process wants to know, line by line. Default: nowhere. */
  log?: ((line: string) => void) | undefined
}

export interface RunningProvider {
  /** For example `http://127.0.0.1:8788`, without a trailing slash. */
  url: string
  /** Lets calls that are under way finish. May be called twice. */
  close(): Promise<void>
}

const DAY_MS = 86_400_000

/**
 * Starts the demo's payment provider and resolves when it answers. It stands where Stripe or Toss
 * Payments would, and shares nothing with the shop: no database, no clock, no memory.
 *
 * @throws SettingError when the port cannot be had
 * @example
 * const provider = await startProvider() // in memory, on a free port
 * await fetch(`${provider.url}/ledger`)
 * await provider.close()
 */
export async function startProvider(options: ProviderOptions = {}): Promise<RunningProvider> {
  const { port = 0, host = '127.0.0.1', keyRetentionMs = DAY_MS, nowEpochMs = Date.now } = options
  const ledger = new Ledger()
  const cashier = new Cashier({ ledger, keyRetentionMs, nowEpochMs })
  const app = createApp(cashier, ledger, options.log)
  const listener = await listen({
    port,
    host,
    // A caller that never reuses a connection never meets one that has just been closed.
    keepAlive: false,
    answer: (request, bindings) => app.fetch(request, bindings),
  })
  let closed: Promise<void> | undefined
  return {
    url: listener.url,
    close() {
      closed ??= listener.close()
      return closed
    },
  }
}

function createApp(cashier: Cashier, ledger: Ledger, log: ProviderOptions['log']) {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(async (context, next) => {
    context.header('Cache-Control', 'no-store')
    await next()
  })
  app.route('/', chargeRoutes(cashier, ledger))
  app.get('/ledger', context =>
    context.json({ charges: ledger.list(context.req.query('reference')) }),
  )
  app.get('/health', context => context.json({ status: 'ok' }))
  app.notFound(context =>
    answerProblem(context, { type: 'not-found', status: 404, title: 'There is nothing here' }),
  )
  app.onError((error, context) => {
    log?.(`${context.req.method} ${context.req.routePath}: ${error.stack ?? error.message}`)
    return answerProblem(context, {
      type: 'internal-error',
      status: 500,
      title: 'The provider made a mistake',
    })
  })
  return app
}
