import { createHash } from 'node:crypto'
import * as v from 'valibot'
import type { Money } from '../money.ts'

/** The test cards of the demo's provider. A real shop would take a token from the provider's page. */
export const PAYMENT_METHODS = ['card_ok', 'card_declined', 'card_expired'] as const

/** The words for what a field accepts are the messages of its schema, and end up in the answer. */
const accepts = {
  order: 'the id of an order: 1 to 64 letters, digits, - or _',
  amount: `a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, in the currency's minor unit`,
  currency: 'three capital letters, for example "KRW"',
  paymentMethod: `one of ${PAYMENT_METHODS.join(', ')}`,
}

/** `POST /payments`. Every member is part of the fingerprint; there are no others. */
export const paymentRequestSchema = v.strictObject({
  order: v.pipe(v.string(accepts.order), v.regex(/^[\w-]{1,64}$/, accepts.order)),
  // What the page showed. The server charges what the order says, and only if it is the same.
  amount: v.pipe(
    v.number(accepts.amount),
    v.safeInteger(accepts.amount),
    v.minValue(1, accepts.amount),
  ),
  currency: v.pipe(v.string(accepts.currency), v.regex(/^[A-Z]{3}$/, accepts.currency)),
  paymentMethod: v.picklist(PAYMENT_METHODS, accepts.paymentMethod),
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
