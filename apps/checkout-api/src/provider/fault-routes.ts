import { Hono } from 'hono'
import { limitBody, readJsonBody } from '../json-body.ts'
import { answerInvalid } from '../problem.ts'
import { parseFault, parseFaultList } from './fault.ts'
import type { FaultPlan } from './fault-plan.ts'

/** The fault plan over HTTP: what a provider's test dashboard would offer, and more. */
export function faultRoutes(plan: FaultPlan): Hono {
  return new Hono()
    .get('/faults', context => context.json({ faults: plan.list() }))
    .put('/faults', limitBody(), async context => {
      const parsed = parseFaultList(await readJsonBody(context))
      if (!parsed.ok) return answerInvalid(context, parsed.errors)
      plan.replace(parsed.value.faults)
      return context.json({ faults: plan.list() })
    })
    .post('/faults', limitBody(), async context => {
      const parsed = parseFault(await readJsonBody(context))
      if (!parsed.ok) return answerInvalid(context, parsed.errors)
      plan.add(parsed.value)
      return context.json({ faults: plan.list() }, 201)
    })
    .delete('/faults', context => {
      plan.replace([])
      return context.body(null, 204)
    })
}
