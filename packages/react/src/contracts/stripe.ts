import { bodyText, type Contract, verdictByStatus, verdictOf } from './contract.ts'

export interface StripeOptions {
  /** Default 23 hours: Stripe may forget a key after 24, and a request may be on its way for a while. */
  resendWindowMs?: number
}

/**
 * Stripe's API v1, or a server that hands its answers on: the bare key (at most 255 characters), kept
 * for at least 24 hours, and the stored answer again for every repeat, 500s included.
 *
 * Stored is what an endpoint answers once it has begun; validation, authentication and rate limits come
 * before that, and so says a 400, 401 or 429 nothing of an earlier attempt. A declined card (402) is
 * final. A 500 is indeterminate, and a stored one stays so for ever.
 *
 * @see https://docs.stripe.com/api/idempotent_requests (key, 24 hours, what is stored)
 * @see https://docs.stripe.com/error-low-level (4xx by key, 500 indeterminate, `Stripe-Should-Retry`,
 *   `Idempotent-Replayed`)
 * @see https://docs.stripe.com/api/errors (`idempotency_error`), https://docs.stripe.com/error-codes
 *   (`idempotency_key_in_use`, `lock_timeout`)
 * @example stripe().headers('k1') // => { 'Idempotency-Key': 'k1' }
 */
export function stripe({ resendWindowMs = 82_800_000 }: StripeOptions = {}): Contract {
  return {
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
      const byStatus = verdictByStatus(answer)
      // It had begun, and stopped at a lock.
      const kind = code === 'lock_timeout' ? 'unknown' : byStatus.kind
      const isFinal =
        answer.header('stripe-should-retry') === 'false' ||
        answer.header('idempotent-replayed') === 'true'
      return {
        ...byStatus,
        kind,
        reason,
        next: isFinal && byStatus.next === 'wait' ? 'stop' : byStatus.next,
      }
    },
  }
}
