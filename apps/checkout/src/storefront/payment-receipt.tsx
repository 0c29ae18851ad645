import type { Payment } from '@query-retry/checkout-api'
import { useLanguage } from '../language/language.tsx'
import { formatMoney } from './money.ts'
import { orderNumber } from './order-number.ts'

/**
 * Whether it is a receipt: a result comes from this browser's own record, which may be an older shop's,
 * or damaged.
 */
export function isPayment(result: unknown): result is Payment {
  const { id, order, paidAt, total } = Object(result)
  const { amount, currency } = Object(total)
  return (
    [id, order].every(text => typeof text === 'string') &&
    Number.isFinite(Date.parse(paidAt)) &&
    Number.isFinite(amount) &&
    /^[A-Z]{3}$/.test(currency)
  )
}

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
