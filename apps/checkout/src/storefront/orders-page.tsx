import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import { Loading } from './loading.tsx'
import { formatMoney } from './money.ts'
import { Notice } from './notice.tsx'
import { OrderFacts } from './order-facts.tsx'
import './orders-page.css'
import { orderNumber } from './order-number.ts'
import { PageHead } from './page-head.tsx'

export function OrdersPage() {
  const { queries } = useShop()
  const { language, messages } = useLanguage()
  const words = messages.orders
  const orders = useQuery(queries.orders())

  return (
    <>
      <PageHead title={words.title} tagline={words.tagline} notice={<Notice result={orders} />} />
      <section aria-labelledby="order-list" aria-busy={orders.isFetching}>
        <h2 id="order-list" className="visually-hidden">
          {words.list}
        </h2>
        {orders.data ? (
          <ul className="orders">
            {orders.data.orders.map(order => (
              <li key={order.id} className="orders__order">
                <h3>
                  <Link to={`/orders/${order.id}`}>
                    {messages.order.title(orderNumber(order.id))}
                  </Link>
                </h3>
                <OrderFacts order={order} />
                <p className="orders__total">{formatMoney(order.total, language)}</p>
              </li>
            ))}
            {orders.data.orders.length === 0 && <li className="empty">{words.empty}</li>}
          </ul>
        ) : orders.isError ? (
          <p className="empty">{words.missing}</p>
        ) : (
          <Loading label={words.loading} shape="line" count={4} />
        )}
      </section>
    </>
  )
}
