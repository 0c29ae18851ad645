import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { checkInput } from '../check-input.ts'
import type { FieldError } from '../problem.ts'
import { PAYMENT_METHODS } from './payment-method.ts'

const accepts = {
  reference: '1 to 100 visible ASCII characters',
  amount: `a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, in the currency's minor unit`,
  currency: 'three capital letters, for example "KRW"',
  paymentMethod: PAYMENT_METHODS.map(method => `"${method}"`).join(', '),
}

/** A schema for the shop's own name of what is paid. */
export const reference = v.pipe(
  v.string(accepts.reference),
  v.regex(/^[\x21-\x7e]{1,100}$/, accepts.reference),
)

const chargeRequest = v.strictObject(
  {
    reference,
    amount: v.pipe(
      v.number(accepts.amount),
      v.safeInteger(accepts.amount),
      v.minValue(1, accepts.amount),
    ),
    currency: v.pipe(v.string(accepts.currency), v.regex(/^[A-Z]{3}$/, accepts.currency)),
    paymentMethod: v.picklist(PAYMENT_METHODS, accepts.paymentMethod),
  },
  // Answers for a field that is missing; Valibot gives its name in quotes.
  issue => accepts[issue.expected.slice(1, -1) as keyof typeof accepts] ?? issue.expected,
)

/** The body of `POST /charges`. */
export type ChargeRequest = v.InferOutput<typeof chargeRequest>

/** Reads a charge request from JSON, or says of every wrong field what would have been right. Never throws. */
export function parseChargeRequest(
  input: unknown,
): { ok: true; value: ChargeRequest } | { ok: false; errors: FieldError[] } {
  return checkInput(chargeRequest, input, {
    whole: 'a charge as a JSON object',
    secrets: ['paymentMethod'],
  })
}

/** The same for the same request, and says nothing about the payment method to who reads a file. */
export function fingerprintOf(request: ChargeRequest): string {
  const { reference, amount, currency, paymentMethod } = request
  return createHash('sha256')
    .update(JSON.stringify([reference, amount, currency, paymentMethod]))
    .digest('hex')
}
