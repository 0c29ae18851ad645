import type { Money } from '../money.ts'

/** A text in the shop's two languages. */
export interface Localized {
  en: string
  ko: string
}

/** The picture of a product: an emoji on a gradient, so that the shop ships no image files. */
export interface Tile {
  emoji: string
  from: string
  to: string
}

/** What a line of a cart or an order shows of its product. */
export interface ProductSummary {
  id: string
  name: Localized
  tile: Tile
}

export interface Product extends ProductSummary {
  description: Localized
  price: Money
}

/** The columns that `toProductSummary` needs, of `products AS product`. */
export const PRODUCT_SUMMARY_COLUMNS =
  'product.id, product.name_en, product.name_ko, product.tile_emoji, product.tile_from, product.tile_to'

export interface ProductSummaryRow {
  id: string
  name_en: string
  name_ko: string
  tile_emoji: string
  tile_from: string
  tile_to: string
}

export function toProductSummary(row: ProductSummaryRow): ProductSummary {
  return {
    id: row.id,
    name: { en: row.name_en, ko: row.name_ko },
    tile: { emoji: row.tile_emoji, from: row.tile_from, to: row.tile_to },
  }
}
