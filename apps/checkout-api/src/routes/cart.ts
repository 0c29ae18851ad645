import { Hono } from 'hono'
import type { Database } from '../database/database.ts'
import { DEMO_CART_ID } from '../demo-visitor.ts'
import type { Money } from '../money.ts'
import { answerProblem } from '../problem.ts'
import { type PricedLine, type PricedLineRow, toPricedLine } from './priced-line.ts'
import { PRODUCT_SUMMARY_COLUMNS } from './product.ts'

export interface Cart {
  id: string
  lines: PricedLine[]
  total: Money
}

/** `GET /cart`: what the visitor is about to order, at today's prices. */
export function cartRoutes(database: Database): Hono {
  return new Hono().get('/cart', async context => {
    const cart = await readCart(database, DEMO_CART_ID)
    if (cart) return context.json<Cart>(cart)
    return answerProblem(context, {
      type: 'cart-not-found',
      status: 404,
      title: 'There is no cart',
    })
  })
}

async function readCart(database: Database, id: string): Promise<Cart | undefined> {
  const [cart] = await database.query<{ currency: string }>(
    'SELECT currency FROM carts WHERE id = $1',
    [id],
  )
  if (!cart) return undefined
  const rows = await database.query<PricedLineRow>(
    `SELECT ${PRODUCT_SUMMARY_COLUMNS}, line.quantity, product.price AS unit_price
       FROM cart_lines AS line JOIN products AS product ON product.id = line.product_id
      WHERE line.cart_id = $1 ORDER BY line.position`,
    [id],
  )
  const lines = rows.map(row => toPricedLine(row, cart.currency))
  const amount = lines.reduce((sum, line) => sum + line.lineTotal.amount, 0)
  return { id, lines, total: { amount, currency: cart.currency } }
}
