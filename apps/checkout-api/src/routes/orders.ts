import { Hono } from 'hono'
import type { Database } from '../database/database.ts'
import { DEMO_VISITOR } from '../demo-visitor.ts'
import type { Money } from '../money.ts'
import { answerProblem } from '../problem.ts'
import { type VisitorEnv, visitorOr } from '../session/require-visitor.ts'
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

/**
 * `GET /orders` (newest first) and `GET /orders/:id`, of the visitor who is logged in; without a
 * login those of the demo's visitor. Another visitor's order does not exist.
 */
export function orderRoutes(database: Database): Hono<VisitorEnv> {
  const visitor = visitorOr(DEMO_VISITOR, database)
  return new Hono<VisitorEnv>()
    .get('/orders', visitor, async context => {
      const rows = await database.query<OrderRow>(
        `${SELECT_ORDER} WHERE placed_by = $1 ORDER BY placed_at DESC, id LIMIT 100`,
        [context.var.visitor.id],
      )
      return context.json<{ orders: OrderSummary[] }>({ orders: rows.map(toOrderSummary) })
    })
    .get('/orders/:id', visitor, async context => {
      const order = await readOrder(database, context.req.param('id'), context.var.visitor.id)
      if (order) return context.json<Order>(order)
      return answerProblem(context, {
        type: 'order-not-found',
        status: 404,
        title: 'There is no such order',
      })
    })
}

async function readOrder(
  database: Database,
  id: string,
  visitorId: string,
): Promise<Order | undefined> {
  // PostgreSQL's text cannot hold NUL: such an id names no order, and asking would be an error.
  if (id.includes('\0')) return undefined
  const [row] = await database.query<OrderRow>(`${SELECT_ORDER} WHERE id = $1 AND placed_by = $2`, [
    id,
    visitorId,
  ])
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
