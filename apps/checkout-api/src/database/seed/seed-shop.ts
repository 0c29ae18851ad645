import { DEMO_CART_ID, DEMO_VISITOR } from '../../demo-visitor.ts'
import type { Session } from '../database.ts'
import { CART_LINES, ORDERS } from './orders.ts'
import { PRODUCTS } from './products.ts'

const CURRENCY = 'KRW'
const PRICES = new Map<string, number>(PRODUCTS.map(({ id, price }) => [id, price]))

/** Fills an empty shop with products, one cart and some orders. */
export async function seedShop(session: Session): Promise<void> {
  for (const [position, product] of PRODUCTS.entries()) {
    const { id, name, description, tile } = product
    await session.query(
      `INSERT INTO products (id, position, name_en, name_ko, description_en, description_ko,
                             price, currency, tile_emoji, tile_from, tile_to)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        ...[id, position, name.en, name.ko, description.en, description.ko],
        ...[product.price, CURRENCY, tile.emoji, tile.from, tile.to],
      ],
    )
  }

  await session.query('INSERT INTO carts (id, currency) VALUES ($1, $2)', [DEMO_CART_ID, CURRENCY])
  for (const [position, { productId, quantity }] of CART_LINES.entries()) {
    await session.query(
      'INSERT INTO cart_lines (cart_id, position, product_id, quantity) VALUES ($1, $2, $3, $4)',
      [DEMO_CART_ID, position, productId, quantity],
    )
  }

  for (const { id, status, placedAt, lines } of ORDERS) {
    const amount = lines.reduce((sum, line) => sum + priceOf(line.productId) * line.quantity, 0)
    await session.query(
      `INSERT INTO orders (id, status, amount, currency, placed_at, placed_by)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [id, status, amount, CURRENCY, placedAt, DEMO_VISITOR.id],
    )
    for (const [position, { productId, quantity }] of lines.entries()) {
      await session.query(
        `INSERT INTO order_lines (order_id, position, product_id, quantity, unit_price)
         VALUES ($1, $2, $3, $4, $5)`,
        [id, position, productId, quantity, priceOf(productId)],
      )
    }
  }
}

function priceOf(productId: string): number {
  const price = PRICES.get(productId)
  if (price === undefined) throw new Error(`the seed has no product ${productId}`)
  return price
}
