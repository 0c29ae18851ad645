import type { Money } from '../money.ts'
import { type ProductSummary, type ProductSummaryRow, toProductSummary } from './product.ts'

/** A product, how many of it, and what that costs. */
export interface PricedLine {
  product: ProductSummary
  quantity: number
  unitPrice: Money
  lineTotal: Money
}

export interface PricedLineRow extends ProductSummaryRow {
  quantity: number
  unit_price: number
}

export function toPricedLine(row: PricedLineRow, currency: string): PricedLine {
  return {
    product: toProductSummary(row),
    quantity: row.quantity,
    unitPrice: { amount: row.unit_price, currency },
    lineTotal: { amount: row.unit_price * row.quantity, currency },
  }
}
