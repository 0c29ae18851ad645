import { bodyText, type Contract, createContract, verdictByStatus, verdictOf } from './contract.ts'

export interface StripeOptions {
  /** Default 23 hours: Stripe may forget a key after 24, and a request may be on its way for a while. */
  resendWindowMs?: number
}

/**
 * Stripe's API v1, or a server that hands its answers on: the bare key (at most 255 characters), kept
 * for at least 24 hours, and the stored answer again for every repeat, 500s included. Not API v2, whose
 * keys live for 30 days and whose failures are worked on again.
 *
 * Stored is what an endpoint answers once it has begun. Rate limits, a missing API key and most wrong
 * parameters are turned away before that, and nothing in the body tells such a 400, 401 or 429 from a
 * stored one: none of them says anything of an earlier attempt. A declined card (402) is final. A 500 is
 * indeterminate, and a stored one stays so for ever. Whether a `lock_timeout` is stored, or came after a
 * part of the work, is not documented: unknown.
 *
 * @see https://docs.stripe.com/api/idempotent_requests (key, 24 hours, what is stored)
 * @see https://docs.stripe.com/error-low-level (which 4xx come before the key, 500 indeterminate,
 *   `Stripe-Should-Retry`, `Idempotent-Replayed`)
 * @see https://docs.stripe.com/api/errors (402, 409, `card_error`; `idempotency_error`: another endpoint
 *   or other parameters, with 400 in stripe-ruby's lib/stripe/api_requestor.rb)
 * @see https://docs.stripe.com/error-codes (`idempotency_key_in_use`; as an answer with 409 in
 *   https://github.com/beam-community/stripity-stripe/issues/564)
 * @see https://docs.stripe.com/rate-limits#object-lock-timeouts (`lock_timeout` with 429)
 * @example stripe().headers('k1') // => { 'Idempotency-Key': 'k1' }
 */
export function stripe({ resendWindowMs = 82_800_000 }: StripeOptions = {}): Contract {
  return createContract({
    name: 'Stripe',
    resendWindowMs,
    headers: key => ({ 'Idempotency-Key': key }),
    verdict(answer) {
      const { status = 0 } = answer
      const type = bodyText(answer, 'error', 'type')
      const code = bodyText(answer, 'error', 'code')
      const reason = code || type || answer.reason
      if (status >= 400 && code === 'idempotency_key_in_use') {
        return verdictOf('in-progress', answer, 'wait', reason)
      }
      if (status >= 400 && type === 'idempotency_error') {
        return verdictOf('mismatch', answer, 'stop', reason)
      }
      if (status === 402 && type === 'card_error') {
        return verdictOf('rejected', answer, 'stop', reason)
      }
      const verdict = { ...verdictByStatus(answer), reason }
      const advice = answer.header('stripe-should-retry')
      // What may be otherwise the next time may have been otherwise the time before.
      if (code === 'lock_timeout' || advice === 'true') verdict.kind = 'unknown'
      const isFinal = advice === 'false' || answer.header('idempotent-replayed') === 'true'
      // Whatever is advised, logging in comes first.
      if (verdict.next !== 'login') {
        if (advice === 'true') verdict.next = 'wait'
        if (isFinal) verdict.next = 'stop'
      }
      return verdict
    },
  })
}
