import type { Localized } from '../routes/product.ts'

/**
 * Somebody who visits the shop. The `id` is the principal: what belongs to it (orders, sessions, and
 * the scope of idempotency keys) is out of every other visitor's reach.
 */
export interface Visitor {
  id: string
  name: Localized
}

export interface VisitorRow {
  id: string
  name_en: string
  name_ko: string
}

export function toVisitor(row: VisitorRow): Visitor {
  return { id: row.id, name: { en: row.name_en, ko: row.name_ko } }
}
