import type { Payment } from '@query-retry/checkout-api'
import { useLanguage } from '../language/language.tsx'
import { formatMoney } from './money.ts'
import { orderNumber } from './order-number.ts'

/** What the person keeps. */
export function PaymentReceipt({ payment }: { payment: Payment }) {
  const { language, messages } = useLanguage()
  const words = messages.payment.receipt
  return (
    <dl className="payment-receipt" aria-label={words.title}>
      <dt>{words.order}</dt>
      <dd>{orderNumber(payment.order)}</dd>
      <dt>{words.paidAt}</dt>
      <dd>
        <time dateTime={payment.paidAt}>
          {new Date(payment.paidAt).toLocaleString(language, {
            dateStyle: 'medium',
            timeStyle: 'medium',
          })}
        </time>
      </dd>
      <dt>{words.payment}</dt>
      <dd>
        <code>{payment.id}</code>
      </dd>
      <dt className="payment-receipt__amount">{words.amount}</dt>
      <dd className="payment-receipt__amount">{formatMoney(payment.total, language)}</dd>
    </dl>
  )
}
