import type { OrderSummary } from '@query-retry/checkout-api'
import { useLanguage } from '../language/language.tsx'
import './order-facts.css'

/** State and date of an order, in a line. */
export function OrderFacts({ order }: { order: OrderSummary }) {
  const { language, messages } = useLanguage()
  const words = messages.orders
  const placed = new Date(order.placedAt)
  return (
    <p className="order-facts">
      <span className={`order-status order-status--${order.status}`}>
        {words.status[order.status]}
      </span>
      <span>
        {words.placed}{' '}
        <time dateTime={order.placedAt}>
          {placed.toLocaleDateString(language, { dateStyle: 'long' })}
        </time>
      </span>
      <span>{messages.shop.cartCount(order.itemCount)}</span>
    </p>
  )
}
