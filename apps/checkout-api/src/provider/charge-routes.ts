import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { type NodeContext, untilGone } from '../faults/inject-fault.ts'
import { limitBody, readJsonBody } from '../json-body.ts'
import { answerInvalid, answerProblem } from '../problem.ts'
import type { Cashier } from './cashier.ts'
import { type ChargeRequest, parseChargeRequest } from './charge-request.ts'
import type { ProviderFault } from './fault.ts'
import type { FaultPlan } from './fault-plan.ts'
import { isIdempotencyKey, KEY_ACCEPTED } from './idempotency-key.ts'
import type { Ledger } from './ledger.ts'

export interface ChargeDesk {
  cashier: Cashier
  ledger: Ledger
  faults: FaultPlan
  /** Ends the waits of slow answers, so that the provider can close. */
  closing: AbortSignal
}

/**
 * What the shop's server calls: charge, and find a charge by its key.
 *
 * A request that is refused (400, 413, 422) uses up no fault.
 */
export function chargeRoutes(desk: ChargeDesk): Hono<{ Bindings: HttpBindings }> {
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
      const standing = desk.cashier.standingOf(key, request)
      if (standing === 'mismatch') return answerMismatch(context)

      const type = standing === 'new' ? 'first' : 'repeat'
      const fault = desk.faults.take({ reference: request.reference, type })
      return charge(desk, context, key, request, fault)
    })
    .get('/charges/by-key/:key', context => {
      const entry = desk.ledger.findByKey(context.req.param('key'))
      const fault = desk.faults.take({ reference: entry?.charge.reference, type: 'lookup' })
      if (fault) return answerDown(context)
      return entry ? context.json(entry.charge) : answerNoCharge(context)
    })
}

async function charge(
  { cashier, closing }: ChargeDesk,
  context: NodeContext,
  key: string,
  request: ChargeRequest,
  fault: ProviderFault | undefined,
): Promise<Response> {
  switch (fault?.kind) {
    case 'down':
      return answerDown(context)
    case 'lost-before':
      return closeConnection(context)
    case 'late-apply':
      cashier.chargeLater(key, request, fault.delayMs)
      return closeConnection(context)
    case 'lost-after':
      await cashier.charge(key, request)
      return closeConnection(context)
  }
  const declineCode = fault?.kind === 'decline' ? fault.declineCode : undefined
  const { charge, isReplay } = await cashier.charge(key, request, declineCode)
  if (fault?.kind === 'slow') await untilGone(context.env.outgoing, closing, fault.delayMs)
  if (isReplay) context.header('Idempotent-Replayed', 'true')
  return context.json(charge, charge.status === 'captured' ? 201 : 402)
}

/** The caller sees a network error, and not one byte of an answer. */
function closeConnection(context: NodeContext): Response {
  context.env.outgoing.destroy()
  return RESPONSE_ALREADY_SENT
}

function answerDown(context: Context): Response {
  return answerProblem(context, {
    type: 'provider-down',
    status: 503,
    title: 'The payment provider is down',
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
