import { setMaxListeners } from 'node:events'
import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import type { ShopRoute } from '../shop-routes.ts'
import { CallLog } from './call-log.ts'
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

  return {
    board,
    log,
    guard: route => async (context, next) => {
      const { method, path, url } = context.req
      const call = log.record(route, method, path, new URL(url).search)
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
