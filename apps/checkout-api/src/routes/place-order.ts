import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Database, Session } from '../database/database.ts'
import { type Answer, jsonAnswer, problemAnswer } from '../idempotency/answer.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { AtomicOperation, Execution } from '../idempotency/operation.ts'
import { limitBody, readInput } from '../json-body.ts'
import type { Money } from '../money.ts'
import { answerInvalid } from '../problem.ts'
import { requireVisitor, type VisitorEnv } from '../session/require-visitor.ts'
import { type IdempotencyKeyEnv, requireIdempotencyKey, sendReply } from './idempotency-key.ts'

/** What `POST /orders` answers; `GET /orders/:id` has the lines. */
export interface PlacedOrder {
  id: string
  status: 'open'
  total: Money
}

const WHOLE = 'a JSON object { cart: string }'
const CART = 'the id of a cart: 1 to 64 letters, digits, - or _'

const orderRequestSchema = v.strictObject({
  cart: v.pipe(v.string(CART), v.regex(/^[\w-]{1,64}$/, CART)),
})

type OrderRequest = v.InferOutput<typeof orderRequestSchema>

/** `POST /orders` under an idempotency key: the cart as it is now becomes an open order. */
export function placeOrderRoutes(database: Database, idempotency: Idempotency) {
  return new Hono<VisitorEnv & IdempotencyKeyEnv>().post(
    '/orders',
    requireVisitor(database),
    requireIdempotencyKey(),
    limitBody(),
    async context => {
      const input = await readInput(context, orderRequestSchema, WHOLE)
      if (!input.ok) return answerInvalid(context, input.errors)
      const { visitor, idempotencyKey: key } = context.var
      const request = { scope: visitor.id, key, input: input.value }
      return sendReply(context, await idempotency.executeAtomically(placeOrder, request))
    },
  )
}

const placeOrder: AtomicOperation<OrderRequest> = { name: 'POST /orders', run: orderCart }

async function orderCart(
  session: Session,
  { scope, input }: Execution<OrderRequest>,
): Promise<Answer> {
  const lines = await session.query<{
    product_id: string
    quantity: number
    price: number
    currency: string
  }>(
    `SELECT line.product_id, line.quantity, product.price, cart.currency
       FROM carts AS cart JOIN cart_lines AS line ON line.cart_id = cart.id
                          JOIN products AS product ON product.id = line.product_id
      WHERE cart.id = $1 ORDER BY line.position`,
    [input.cart],
  )
  const [first] = lines
  if (!first) {
    return problemAnswer({ type: 'cart-empty', status: 409, title: 'There is nothing to order' })
  }
  const id = `ord_${randomUUID()}`
  const amount = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const total = { amount, currency: first.currency }
  await session.query(
    `INSERT INTO orders (id, status, amount, currency, placed_by, placed_at)
     VALUES ($1, 'open', $2, $3, $4, clock_timestamp())`,
    [id, total.amount, total.currency, scope],
  )
  for (const [position, { product_id, quantity, price }] of lines.entries()) {
    await session.query(
      `INSERT INTO order_lines (order_id, position, product_id, quantity, unit_price)
       VALUES ($1, $2, $3, $4, $5)`,
      [id, position, product_id, quantity, price],
    )
  }
  const order: PlacedOrder = { id, status: 'open', total }
  const headers = { Location: `/orders/${id}`, Link: `</orders/${id}>; rel="related"` }
  return jsonAnswer(201, order, headers)
}
