import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { crossOrigin } from './cross-origin.ts'
import { type Database, DatabaseUnavailableError } from './database/database.ts'
import { controlRoutes } from './faults/control-routes.ts'
import type { FaultSwitches } from './faults/fault-switches.ts'
import type { Idempotency } from './idempotency/idempotency.ts'
import { logLine } from './log-line.ts'
import type { PaymentOperation } from './payments/payment-operation.ts'
import { answerProblem } from './problem.ts'
import { cartRoutes } from './routes/cart.ts'
import { catalogueRoutes } from './routes/catalogue.ts'
import { healthRoutes } from './routes/health.ts'
import { orderRoutes } from './routes/orders.ts'
import { paymentKeyRoutes } from './routes/payment-keys.ts'
import { paymentRoutes } from './routes/payments.ts'
import { placeOrderRoutes } from './routes/place-order.ts'
import { sessionRoutes } from './session/session-routes.ts'
import { SHOP_ROUTES, type ShopRoute } from './shop-routes.ts'

export interface AppOptions {
  database: Database
  idempotency: Idempotency
  payment: PaymentOperation
  /** Undefined: no faults, and no routes that could set any. */
  faults?: FaultSwitches | undefined
  allowedOrigins?: readonly string[] | undefined
  log?: ((line: string) => void) | undefined
}

/** When a database that was away has had time to come back. */
const DATABASE_AGAIN_SECONDS = 2

export type App = Hono<{ Bindings: HttpBindings }>

/** Puts the rooms together: headers, faults, routes, and what happens when a route throws. */
export function createApp(options: AppOptions): App {
  const { database, idempotency, payment, faults, allowedOrigins, log } = options
  const app: App = new Hono()

  app.use(crossOrigin(allowedOrigins))
  app.use(async (context, next) => {
    // Before the route runs, so that error answers carry it too.
    context.header('Cache-Control', 'no-store')
    await next()
  })

  if (faults) {
    app.route('/', controlRoutes(faults))
    for (const [route, { method, path }] of Object.entries(SHOP_ROUTES)) {
      app.on(method, path, faults.guard(route as ShopRoute))
    }
  }

  app.route('/', healthRoutes(database))
  app.route('/', catalogueRoutes(database))
  app.route('/', cartRoutes(database))
  app.route('/', orderRoutes(database))
  app.route('/', sessionRoutes(database))
  app.route('/', placeOrderRoutes(database, idempotency))
  app.route('/', paymentKeyRoutes(database, idempotency))
  app.route('/', paymentRoutes({ database, idempotency, payment, allowCheckpointFaults: !!faults }))

  app.notFound(context =>
    answerProblem(context, { type: 'not-found', status: 404, title: 'There is nothing here' }),
  )
  app.onError((error, context) => {
    if (error instanceof DatabaseUnavailableError) {
      const reason = error.cause instanceof Error ? error.cause.message : String(error.cause)
      log?.(logLine(context.req, `${error.message} (${reason})`))
      context.header('Retry-After', String(DATABASE_AGAIN_SECONDS))
      return answerProblem(context, {
        type: 'database-unavailable',
        status: 503,
        title: 'The shop cannot reach its database',
      })
    }
    log?.(logLine(context.req, error.stack ?? error.message))
    return answerProblem(context, {
      type: 'internal-error',
      status: 500,
      title: 'The shop made a mistake',
    })
  })
  return app
}
