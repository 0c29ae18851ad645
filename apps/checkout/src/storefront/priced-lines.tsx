import type { PricedLine } from '@query-retry/checkout-api'
import { useLanguage } from '../language/language.tsx'
import { formatMoney } from './money.ts'
import './priced-lines.css'
import { ProductTile } from './product-tile.tsx'

/** The lines of a cart or an order. */
export function PricedLines({ lines, label }: { lines: readonly PricedLine[]; label: string }) {
  const { language, messages } = useLanguage()
  return (
    <ul className="lines" aria-label={label}>
      {lines.map(({ product, quantity, unitPrice, lineTotal }) => (
        <li key={product.id} className="lines__line">
          <ProductTile product={product} />
          <div>
            <p className="lines__name">{product.name[language]}</p>
            <p className="lines__count">
              {messages.cart.priceAndCount(formatMoney(unitPrice, language), quantity)}
            </p>
          </div>
          <p className="lines__total">{formatMoney(lineTotal, language)}</p>
        </li>
      ))}
    </ul>
  )
}
