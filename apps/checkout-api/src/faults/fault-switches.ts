import { setMaxListeners } from 'node:events'
import type { HttpBindings } from '@hono/node-server'
import type { HonoRequest, MiddlewareHandler } from 'hono'
import { hideSecrets } from '../secret-parameters.ts'
import { SHOP_ROUTES, type ShopRoute } from '../shop-routes.ts'
import { type Call, CallLog } from './call-log.ts'
import { FaultBoard } from './fault-board.ts'
import { injectFault } from './inject-fault.ts'

/** The fault switches of one server: what is set, what was called, and the guard in front of the routes. */
export interface FaultSwitches {
  readonly board: FaultBoard
  readonly log: CallLog
  /** Goes in front of a shop route: counts the call and lets the fault that is set happen to it. */
  guard(route: ShopRoute): MiddlewareHandler<{ Bindings: HttpBindings }>
  /** Ends the calls that hang or are slow, so that the server can close. */
  close(): void
}

/** @param random - draws for `share`, in [0, 1) */
export function createFaultSwitches(random?: () => number): FaultSwitches {
  const board = new FaultBoard(random)
  const log = new CallLog()
  const closing = new AbortController()
  // One for each call that hangs: thousands of them are a demo, not a leak.
  setMaxListeners(0, closing.signal)

  function record(route: ShopRoute, { method, path, url }: HonoRequest): Call {
    const hiding = hideSecrets(SHOP_ROUTES[route], path)
    // A secret in the path could be repeated in the query.
    const hasSecret = !hiding || hiding.hidden.length > 0
    const shownPath = hiding?.path ?? SHOP_ROUTES[route].path
    return log.record(route, method, shownPath, hasSecret ? '' : new URL(url).search)
  }

  return {
    board,
    log,
    guard: route => async (context, next) => {
      const call = record(route, context.req)
      context.env.outgoing.once('close', () => {
        call.answer ??= 'abandoned'
      })
      const fault = board.take(route)
      if (fault) await injectFault(fault, context, next, call, closing.signal)
      else await next()
      call.answer ??= context.res.status
    },
    close: () => closing.abort(),
  }
}
