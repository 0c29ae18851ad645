import { type Context, Hono } from 'hono'
import { limitBody, readJsonBody } from '../json-body.ts'
import { answerInvalid, answerProblem } from '../problem.ts'
import { SHOP_ROUTES, type ShopRoute } from '../shop-routes.ts'
import { parseFault } from './fault.ts'
import type { FaultSwitches } from './fault-switches.ts'
import { FAULT_TARGETS, isFaultTarget } from './fault-target.ts'

/** The switches over HTTP. Mounted only when faults are enabled; else these paths do not exist. */
export function controlRoutes({ board, log }: FaultSwitches): Hono {
  return new Hono()
    .get('/faults', context =>
      context.json({
        faults: Object.fromEntries(
          FAULT_TARGETS.map(target => [target, board.find(target) ?? null]),
        ),
      }),
    )
    .delete('/faults', context => {
      board.clearAll()
      return context.body(null, 204)
    })
    .get('/faults/calls', context =>
      context.json(log.report(Object.keys(SHOP_ROUTES) as ShopRoute[])),
    )
    .delete('/faults/calls', context => {
      log.reset()
      return context.body(null, 204)
    })
    .put('/faults/:route', limitBody(), async context => {
      const target = context.req.param('route')
      if (!isFaultTarget(target)) return answerUnknownRoute(context, target)
      const body = await readJsonBody(context)
      if (body === undefined) {
        return answerInvalid(context, [
          { field: 'body', value: 'not JSON', accepted: 'a fault as a JSON object' },
        ])
      }
      const parsed = parseFault(body)
      if (!parsed.ok) return answerInvalid(context, parsed.errors)
      board.set(target, parsed.value)
      return context.json({ route: target, fault: board.find(target) })
    })
    .delete('/faults/:route', context => {
      const target = context.req.param('route')
      if (!isFaultTarget(target)) return answerUnknownRoute(context, target)
      board.clear(target)
      return context.body(null, 204)
    })
}

function answerUnknownRoute(context: Context, name: string): Response {
  return answerProblem(context, {
    type: 'unknown-fault-route',
    status: 404,
    title: 'There is no such route to set a fault on',
    detail: `${JSON.stringify(name.slice(0, 100))} is none of: ${FAULT_TARGETS.join(', ')}`,
  })
}
