import { useSuspenseQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { Link, useParams } from 'react-router'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import { Loading } from './loading.tsx'
import { formatMoney } from './money.ts'
import { Notice } from './notice.tsx'
import { OrderBoundary } from './order-boundary.tsx'
import { OrderFacts } from './order-facts.tsx'
import './order-page.css'
import { orderNumber } from './order-number.ts'
import { PageHead } from './page-head.tsx'
import { Payment } from './payment.tsx'
import { PricedLines } from './priced-lines.tsx'

export function OrderPage() {
  const { id = '' } = useParams()
  const { queries } = useShop()
  const { messages } = useLanguage()
  const { queryKey } = queries.order(id)

  return (
    <OrderBoundary key={id} id={id}>
      <Suspense
        fallback={
          <Frame id={id} notice={<Notice queryKey={queryKey} />}>
            <Loading label={messages.order.loading} shape="line" count={3} />
          </Frame>
        }
      >
        <OrderDetails id={id} />
      </Suspense>
    </OrderBoundary>
  )
}

function OrderDetails({ id }: { id: string }) {
  const { queries } = useShop()
  const { language, messages } = useLanguage()
  const order = useSuspenseQuery(queries.order(id))

  return (
    <Frame id={id} notice={<Notice result={order} />}>
      <div className="order" aria-busy={order.isFetching}>
        <OrderFacts order={order.data} />
        <PricedLines lines={order.data.lines} label={messages.order.lines} />
        <dl className="order__total">
          <dt>{messages.cart.total}</dt>
          <dd>{formatMoney(order.data.total, language)}</dd>
        </dl>
        <Payment order={order.data} />
      </div>
    </Frame>
  )
}

function Frame({ id, notice, children }: { id: string; notice: ReactNode; children: ReactNode }) {
  const { messages } = useLanguage()
  return (
    <>
      <PageHead
        title={messages.order.title(orderNumber(id))}
        tagline={messages.order.tagline}
        notice={notice}
      />
      {children}
      <p className="order__back">
        <Link to="/orders">{messages.order.all}</Link>
      </p>
    </>
  )
}
