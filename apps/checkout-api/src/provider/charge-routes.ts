import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { limitBody, readJsonBody } from '../json-body.ts'
import { answerInvalid, answerProblem } from '../problem.ts'
import type { Cashier } from './cashier.ts'
import type { Charge } from './charge.ts'
import { parseChargeRequest } from './charge-request.ts'
import { isIdempotencyKey, KEY_ACCEPTED } from './idempotency-key.ts'
import type { Ledger } from './ledger.ts'

/** What the shop's server calls: charge, and find a charge by its key. */
export function chargeRoutes(cashier: Cashier, ledger: Ledger): Hono<{ Bindings: HttpBindings }> {
  return new Hono<{ Bindings: HttpBindings }>()
    .post('/charges', limitBody(), async context => {
      const key = context.req.header('Idempotency-Key')
      if (key === undefined || !isIdempotencyKey(key)) return answerBadKey(context, key)
      const body = await readJsonBody(context)
      if (body === undefined) {
        return answerInvalid(context, [
          { field: 'body', value: 'not JSON', accepted: 'a charge as a JSON object' },
        ])
      }
      const parsed = parseChargeRequest(body)
      if (!parsed.ok) return answerInvalid(context, parsed.errors)
      const request = parsed.value
      if (cashier.standingOf(key, request) === 'mismatch') return answerMismatch(context)

      const { charge, isReplay } = await cashier.charge(key, request)
      if (isReplay) context.header('Idempotent-Replayed', 'true')
      return context.json(charge, charge.status === 'captured' ? 201 : 402)
    })
    .get('/charges/by-key/:key', context => {
      const entry = ledger.findByKey(context.req.param('key'))
      return entry ? context.json<Charge>(entry.charge) : answerNoCharge(context)
    })
}

function answerBadKey(context: Context, key: string | undefined): Response {
  return answerProblem(context, {
    type: key === undefined ? 'idempotency-key-missing' : 'idempotency-key-invalid',
    status: 400,
    title: 'A charge needs an Idempotency-Key',
    detail: `accepted: ${KEY_ACCEPTED}, unquoted`,
  })
}

function answerMismatch(context: Context): Response {
  return answerProblem(context, {
    type: 'idempotency-key-reused',
    status: 422,
    title: 'This Idempotency-Key belongs to a charge with other parameters',
  })
}

function answerNoCharge(context: Context): Response {
  return answerProblem(context, {
    type: 'charge-not-found',
    status: 404,
    title: 'No charge was made under this key',
  })
}
