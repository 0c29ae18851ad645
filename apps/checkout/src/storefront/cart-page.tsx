import { useQuery } from '@tanstack/react-query'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import './cart-page.css'
import { Loading } from './loading.tsx'
import { formatMoney } from './money.ts'
import { Notice } from './notice.tsx'
import { PageHead } from './page-head.tsx'
import { PlaceOrder } from './place-order.tsx'
import { PricedLines } from './priced-lines.tsx'

export function CartPage() {
  const { queries } = useShop()
  const { language, messages } = useLanguage()
  const words = messages.cart
  const cart = useQuery(queries.cart())

  return (
    <>
      <PageHead title={words.title} tagline={words.tagline} notice={<Notice result={cart} />} />
      <div className="cart" aria-busy={cart.isFetching}>
        {cart.data ? (
          <>
            {cart.data.lines.length > 0 ? (
              <PricedLines lines={cart.data.lines} label={words.items} />
            ) : (
              <p className="empty">{words.empty}</p>
            )}
            <section className="receipt" aria-labelledby="summary">
              <h2 id="summary">{words.summary}</h2>
              <dl>
                <dt>{words.subtotal}</dt>
                <dd>{formatMoney(cart.data.total, language)}</dd>
                <dt>{words.delivery}</dt>
                <dd>{words.free}</dd>
                <dt className="receipt__total">{words.total}</dt>
                <dd className="receipt__total">{formatMoney(cart.data.total, language)}</dd>
              </dl>
              {cart.data.lines.length > 0 && <PlaceOrder cart={cart.data} />}
            </section>
          </>
        ) : cart.isError ? (
          <p className="empty">{words.missing}</p>
        ) : (
          <Loading label={words.loading} shape="line" count={3} />
        )}
      </div>
    </>
  )
}
