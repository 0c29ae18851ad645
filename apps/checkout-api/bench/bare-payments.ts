import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Database } from '../src/database/database.ts'
import { UNKNOWN } from '../src/idempotency/operation.ts'
import { paymentRequestSchema } from '../src/payments/payment.ts'
import type { PaymentOperation } from '../src/payments/payment-operation.ts'
import { requireVisitor, type VisitorEnv } from '../src/session/require-visitor.ts'

/**
 * `POST /bare-payments`: the same login, checks, charge and answer as `POST /payments`, and nothing
 * that would make a repeat safe. Only to measure against.
 */
export function barePaymentRoutes(database: Database, payment: PaymentOperation) {
  return new Hono<VisitorEnv>().post('/bare-payments', requireVisitor(database), async context => {
    const input = v.parse(paymentRequestSchema, await context.req.json())
    const execution = { scope: context.var.visitor.id, input, effectKey: randomUUID() }
    const beginning = await database.transaction(session => payment.begin(session, execution))
    if (beginning.kind !== 'begun') throw new Error(`this order cannot be paid: ${beginning.kind}`)
    const outcome = await payment.perform(execution)
    if (outcome === UNKNOWN) throw new Error('the provider gave no answer')
    await database.transaction(session => payment.settle(session, execution, outcome))
    const { body, headers } = payment.answer(execution, outcome)
    return context.body(new Uint8Array(body), 201, headers)
  })
}
