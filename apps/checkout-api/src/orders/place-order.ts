import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import type { Session } from '../database/database.ts'
import { type Answer, jsonAnswer, problemAnswer } from '../idempotency/answer.ts'
import type { AtomicOperation, Execution } from '../idempotency/operation.ts'
import type { Money } from '../money.ts'

/** What `POST /orders` answers; `GET /orders/:id` has the lines. */
export interface PlacedOrder {
  id: string
  status: 'open'
  total: Money
}

const CART = 'the id of a cart: 1 to 64 letters, digits, - or _'

export const orderRequestSchema = v.strictObject({
  cart: v.pipe(v.string(CART), v.regex(/^[\w-]{1,64}$/, CART)),
})

type OrderRequest = v.InferOutput<typeof orderRequestSchema>

/** Turning a cart into an open order, as an operation of this database alone. */
export const placeOrder: AtomicOperation<OrderRequest> = { name: 'POST /orders', run: orderCart }

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
  const id = `ord_${randomBytes(5).toString('hex')}`
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
