import type { PRODUCTS } from './products.ts'

export interface SeedLine {
  productId: (typeof PRODUCTS)[number]['id']
  quantity: number
}

/** What the visitor of the demo has in the cart. */
export const CART_LINES: readonly SeedLine[] = [
  { productId: 'prd_hanji_notebook', quantity: 2 },
  { productId: 'prd_ujeon_green_tea', quantity: 1 },
  { productId: 'prd_celadon_cup', quantity: 2 },
]

/** Fixed dates: a screenshot or a test reads the same on every machine. */
export const ORDERS: readonly {
  id: string
  status: 'open' | 'paid' | 'cancelled'
  placedAt: string
  lines: readonly SeedLine[]
}[] = [
  {
    id: 'ord_1001',
    status: 'paid',
    placedAt: '2026-01-14T09:12:00Z',
    lines: [
      { productId: 'prd_brass_pen', quantity: 1 },
      { productId: 'prd_pine_soot_ink', quantity: 2 },
    ],
  },
  {
    id: 'ord_1002',
    status: 'paid',
    placedAt: '2026-02-02T22:40:00Z',
    lines: [{ productId: 'prd_roasted_barley_tea', quantity: 4 }],
  },
  {
    id: 'ord_1003',
    status: 'cancelled',
    placedAt: '2026-02-20T03:05:00Z',
    lines: [{ productId: 'prd_stone_seal', quantity: 1 }],
  },
  {
    id: 'ord_1004',
    status: 'open',
    placedAt: '2026-03-08T11:30:00Z',
    lines: [
      { productId: 'prd_letter_set', quantity: 1 },
      { productId: 'prd_omija_tea', quantity: 2 },
      { productId: 'prd_bojagi_wrap', quantity: 1 },
    ],
  },
]
