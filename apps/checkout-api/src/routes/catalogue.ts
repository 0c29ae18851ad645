import { Hono } from 'hono'
import type { Database } from '../database/database.ts'
import { answerInvalid } from '../problem.ts'
import {
  PRODUCT_SUMMARY_COLUMNS,
  type Product,
  type ProductSummaryRow,
  toProductSummary,
} from './product.ts'

export interface CataloguePage {
  products: Product[]
  /** What to ask for next; null on the last page and beyond it. */
  nextPage: number | null
}

const PAGE_SIZE = 6
const LAST_ACCEPTED_PAGE = 10_000

/** `GET /catalogue?page=1`: the products, page by page. */
export function catalogueRoutes(database: Database): Hono {
  return new Hono().get('/catalogue', async context => {
    const asked = context.req.query('page') ?? '1'
    const page = Number(asked)
    if (!/^[1-9]\d*$/.test(asked) || page > LAST_ACCEPTED_PAGE) {
      const accepted = `a whole number from 1 to ${LAST_ACCEPTED_PAGE}`
      const value = JSON.stringify(asked.slice(0, 100))
      return answerInvalid(context, [{ field: 'page', value, accepted }])
    }
    return context.json<CataloguePage>(await readPage(database, page))
  })
}

async function readPage(database: Database, page: number): Promise<CataloguePage> {
  // One row more than the page holds tells whether there is another.
  const rows = await database.query<
    ProductSummaryRow & {
      description_en: string
      description_ko: string
      price: number
      currency: string
    }
  >(
    `SELECT ${PRODUCT_SUMMARY_COLUMNS}, product.description_en, product.description_ko,
            product.price, product.currency
       FROM products AS product ORDER BY product.position LIMIT $1 OFFSET $2`,
    [PAGE_SIZE + 1, (page - 1) * PAGE_SIZE],
  )
  return {
    products: rows.slice(0, PAGE_SIZE).map(row => ({
      ...toProductSummary(row),
      description: { en: row.description_en, ko: row.description_ko },
      price: { amount: row.price, currency: row.currency },
    })),
    nextPage: rows.length > PAGE_SIZE ? page + 1 : null,
  }
}
