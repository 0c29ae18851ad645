import type { Product } from '@query-retry/checkout-api'
import { useLanguage } from '../language/language.tsx'
import { formatMoney } from './money.ts'
import './product-card.css'
import { ProductTile } from './product-tile.tsx'

export function ProductCard({ product }: { product: Product }) {
  const { language } = useLanguage()
  return (
    <li className="product">
      <ProductTile product={product} />
      <div className="product__label">
        <h3>{product.name[language]}</h3>
        <p className="product__price">{formatMoney(product.price, language)}</p>
        <p className="product__description">{product.description[language]}</p>
      </div>
    </li>
  )
}
