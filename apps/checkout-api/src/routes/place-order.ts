import { Hono } from 'hono'
import type { Database } from '../database/database.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { limitBody, readInput } from '../json-body.ts'
import { orderRequestSchema, placeOrder } from '../orders/place-order.ts'
import { answerInvalid } from '../problem.ts'
import { requireVisitor, type VisitorEnv } from '../session/require-visitor.ts'
import { type IdempotencyKeyEnv, requireIdempotencyKey, sendReply } from './idempotency-key.ts'

const WHOLE = 'a JSON object { cart: string }'

/** `POST /orders` under an idempotency key: the cart as it is now becomes an open order. */
export function placeOrderRoutes(database: Database, idempotency: Idempotency) {
  return new Hono<VisitorEnv & IdempotencyKeyEnv>().post(
    '/orders',
    requireVisitor(database),
    requireIdempotencyKey(),
    limitBody(),
    async context => {
      const input = await readInput(context, orderRequestSchema, { whole: WHOLE })
      if (!input.ok) return answerInvalid(context, input.errors)
      const { visitor, idempotencyKey: key } = context.var
      const request = { scope: visitor.id, key, input: input.value }
      return sendReply(context, await idempotency.executeAtomically(placeOrder, request))
    },
  )
}
