import type { Order } from '@query-retry/checkout-api'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { LanguageProvider } from '../../src/language/language.tsx'
import { createShop, ShopContext } from '../../src/shop.ts'
import { Payment } from '../../src/storefront/payment.tsx'
import { MISTAKES } from './mistakes.ts'
import { recordJournal } from './record-journal.ts'

/**
 * The till of the shop on a page of its own: the real hook, preset, payments and session. Its address
 * says what is paid, so that a reload pays the same; another address within the page is another order, as
 * in the shop.
 */
const root = createRoot(document.getElementById('root') as HTMLElement)

recordJournal()
showOrder()
addEventListener('popstate', showOrder)

function showOrder() {
  const parameters = new URLSearchParams(location.search)
  const given = (name: string) => parameters.get(name) ?? ''
  const order: Order = {
    id: given('order'),
    placedAt: new Date().toISOString(),
    status: 'open',
    itemCount: 0,
    lines: [],
    total: { amount: Number(given('amount')), currency: 'KRW' },
  }
  const shop = createShop({
    apiUrl: given('api'),
    providerUrl: '',
    paymentLimitMs: Number(given('limit')),
  })
  const { payment } = shop.payments
  const spoil = MISTAKES[given('mistake')] ?? (options => options)
  shop.payments.payment = about => ({
    ...spoil(payment(about)),
    ...(parameters.has('throws') && { onSuccess: throwError }),
  })
  root.render(
    <ShopContext value={shop} key={order.id}>
      <QueryClientProvider client={shop.queryClient}>
        <LanguageProvider initial="en">
          <Payment order={order} />
        </LanguageProvider>
      </QueryClientProvider>
    </ShopContext>,
  )
}

function throwError(): never {
  console.info('chaos: onSuccess threw')
  throw new Error('what this page does with a success fails')
}
