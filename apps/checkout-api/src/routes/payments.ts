import { type Context, Hono } from 'hono'
import type { Database } from '../database/database.ts'
import {
  ACCEPTED_CHECKPOINT_FAULTS,
  CHECKPOINT_FAULT_HEADER,
  readCheckpointFault,
} from '../faults/checkpoint-fault.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { limitBody, readInput } from '../json-body.ts'
import { findPayment } from '../payments/charges.ts'
import { type Payment, paymentRequestSchema } from '../payments/payment.ts'
import type { PaymentOperation } from '../payments/payment-operation.ts'
import { answerInvalid, answerProblem } from '../problem.ts'
import { requireVisitor, type VisitorEnv } from '../session/require-visitor.ts'
import { type IdempotencyKeyEnv, requireIdempotencyKey, sendReply } from './idempotency-key.ts'

const WORDS = {
  whole: 'a JSON object { order: string, amount: number, currency: string, paymentMethod: string }',
  secrets: ['paymentMethod'],
}

export interface PaymentRoutesOptions {
  database: Database
  idempotency: Idempotency
  payment: PaymentOperation
  /** True: a request may say where its worker crashes or freezes. */
  allowCheckpointFaults: boolean
}

/** `POST /payments` under an idempotency key, and `GET /payments/:id`. */
export function paymentRoutes(options: PaymentRoutesOptions) {
  const { database, idempotency, payment, allowCheckpointFaults } = options
  return new Hono<VisitorEnv & IdempotencyKeyEnv>()
    .post(
      '/payments',
      requireVisitor(database),
      requireIdempotencyKey(),
      limitBody(),
      async context => {
        const input = await readInput(context, paymentRequestSchema, WORDS)
        if (!input.ok) return answerInvalid(context, input.errors)

        const faultAt = allowCheckpointFaults && context.req.header(CHECKPOINT_FAULT_HEADER)
        const onCheckpoint = faultAt ? readCheckpointFault(faultAt) : undefined
        if (faultAt && !onCheckpoint) return answerUnknownFault(context, faultAt)

        const { visitor, idempotencyKey: key } = context.var
        const request = { scope: visitor.id, key, input: input.value }
        return sendReply(context, await idempotency.execute(payment, request, onCheckpoint))
      },
    )
    .get('/payments/:id', requireVisitor(database), async context => {
      const { visitor } = context.var
      const id = context.req.param('id')
      const charge = isPaymentId(id) && (await findPayment(database, visitor.id, id))
      if (!charge) {
        return answerProblem(context, {
          type: 'payment-not-found',
          status: 404,
          title: 'There is no such payment',
        })
      }
      return context.json<Payment>({
        id: charge.id,
        order: charge.order_id,
        status: 'captured',
        total: { amount: charge.amount, currency: charge.currency },
        paidAt: charge.paid_at.toISOString(),
      })
    })
}

function isPaymentId(id: string): boolean {
  return /^pay_[0-9a-f]+$/.test(id)
}

function answerUnknownFault(context: Context, value: string): Response {
  return answerInvalid(context, [
    {
      field: CHECKPOINT_FAULT_HEADER,
      value: JSON.stringify(value.slice(0, 100)),
      accepted: ACCEPTED_CHECKPOINT_FAULTS,
    },
  ])
}
