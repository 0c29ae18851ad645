import { createHash } from 'node:crypto'
import * as v from 'valibot'
import type { Money } from '../money.ts'

/** The test cards of the demo's provider. A real shop would take a token from the provider's page. */
export const PAYMENT_METHODS = ['card_ok', 'card_declined', 'card_expired'] as const

/** `POST /payments`. Every member is part of the fingerprint; there are no others. */
export const paymentRequestSchema = v.strictObject({
  order: v.pipe(
    v.string('an order id'),
    v.regex(/^[\w-]{1,64}$/, '1 to 64 letters, digits, - or _'),
  ),
  // What the page showed. The server charges what the order says, and only if it is the same.
  amount: v.pipe(
    v.number('a whole number of at least 1'),
    v.safeInteger('a whole number of at least 1'),
    v.minValue(1, 'a whole number of at least 1'),
  ),
  currency: v.pipe(v.string('3 capital letters'), v.regex(/^[A-Z]{3}$/, '3 capital letters')),
  paymentMethod: v.picklist(PAYMENT_METHODS, `one of ${PAYMENT_METHODS.join(', ')}`),
})

export type PaymentRequest = v.InferOutput<typeof paymentRequestSchema>

/** What the shop tells of a payment. */
export interface Payment {
  id: string
  order: string
  status: 'captured'
  total: Money
  /** ISO 8601 in UTC, by the provider's clock. */
  paidAt: string
}

/**
 * The public id of the charge behind an effect key: the same for every worker that comes to it, and
 * of no use to find the key.
 */
export function paymentIdOf(effectKey: string): string {
  return `pay_${createHash('sha256').update(effectKey).digest('hex').slice(0, 24)}`
}
