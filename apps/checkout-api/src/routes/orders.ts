import { Hono } from 'hono'
import type { Database } from '../database/database.ts'
import type { Money } from '../money.ts'
import { answerProblem } from '../problem.ts'
import { type PricedLine, type PricedLineRow, toPricedLine } from './priced-line.ts'
import { PRODUCT_SUMMARY_COLUMNS } from './product.ts'

export interface OrderSummary {
  id: string
  status: 'open' | 'paid' | 'cancelled'
  /** ISO 8601 in UTC. */
  placedAt: string
  /** Pieces, not lines. */
  itemCount: number
  total: Money
}

export interface Order extends OrderSummary {
  lines: PricedLine[]
}

interface OrderRow {
  id: string
  status: OrderSummary['status']
  placed_at: Date
  item_count: number
  amount: number
  currency: string
}

const SELECT_ORDER = `
  SELECT id, status, placed_at, amount, currency,
         (SELECT coalesce(sum(quantity), 0)::integer FROM order_lines WHERE order_id = orders.id) AS item_count
    FROM orders`

/** `GET /orders` (newest first) and `GET /orders/:id`. */
export function orderRoutes(database: Database): Hono {
  return new Hono()
    .get('/orders', async context => {
      const rows = await database.query<OrderRow>(
        `${SELECT_ORDER} ORDER BY placed_at DESC, id LIMIT 100`,
      )
      return context.json<{ orders: OrderSummary[] }>({ orders: rows.map(toOrderSummary) })
    })
    .get('/orders/:id', async context => {
      const order = await readOrder(database, context.req.param('id'))
      if (order) return context.json<Order>(order)
      return answerProblem(context, {
        type: 'order-not-found',
        status: 404,
        title: 'There is no such order',
      })
    })
}

async function readOrder(database: Database, id: string): Promise<Order | undefined> {
  // PostgreSQL's text cannot hold NUL: such an id names no order, and asking would be an error.
  if (id.includes('\0')) return undefined
  const [row] = await database.query<OrderRow>(`${SELECT_ORDER} WHERE id = $1`, [id])
  if (!row) return undefined
  const lines = await database.query<PricedLineRow>(
    `SELECT ${PRODUCT_SUMMARY_COLUMNS}, line.quantity, line.unit_price
       FROM order_lines AS line JOIN products AS product ON product.id = line.product_id
      WHERE line.order_id = $1 ORDER BY line.position`,
    [id],
  )
  return { ...toOrderSummary(row), lines: lines.map(line => toPricedLine(line, row.currency)) }
}

function toOrderSummary(row: OrderRow): OrderSummary {
  return {
    id: row.id,
    status: row.status,
    placedAt: row.placed_at.toISOString(),
    itemCount: row.item_count,
    total: { amount: row.amount, currency: row.currency },
  }
}
