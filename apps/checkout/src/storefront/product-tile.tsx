import type { ProductSummary } from '@query-retry/checkout-api'
import type { CSSProperties } from 'react'
import { PRODUCT_DRAWINGS } from './product-drawings.tsx'

/** The picture of a product: our drawing on the server's colours, or its emoji where we have none. */
export function ProductTile({ product: { id, tile } }: { product: ProductSummary }) {
  const drawing = PRODUCT_DRAWINGS[id]
  return (
    <div
      className="product-tile"
      aria-hidden="true"
      style={{ '--tile-from': tile.from, '--tile-to': tile.to } as CSSProperties}
    >
      {drawing ? (
        <svg viewBox="0 0 96 96" aria-hidden="true">
          {drawing}
        </svg>
      ) : (
        <span>{tile.emoji}</span>
      )}
    </div>
  )
}
