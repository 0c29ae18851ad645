import { bodyText, type Contract, verdictByStatus, verdictOf } from './contract.ts'

export interface TossPaymentsOptions {
  /** Default 14 days: Toss keeps a key for 15 days from its first use. */
  resendWindowMs?: number
}

/** The card company, or a limit, said no: the payment was tried and refused. */
const DECLINED =
  /^(REJECT_|EXCEED_|INVALID_REJECT_CARD|INVALID_STOPPED_CARD|INVALID_CARD_LOST_OR_STOLEN)/
/**
 * A 400 that is nobody's refusal: the provider or the card company did not answer, or the payment was
 * processed under another key, with whatever result.
 */
const UNSURE = /^(PROVIDER_ERROR|CARD_PROCESSING_ERROR|ALREADY_PROCESSED_PAYMENT)$/

/**
 * Toss Payments (토스페이먼츠), or a server that hands its answers on: the bare key (at most 300
 * characters), valid for 15 days from its first use, by secret key, method and path. The first answer
 * is repeated **whatever the body says**: another payload under the same key is not noticed, so a key
 * never serves two.
 *
 * @see https://docs.tosspayments.com/guides/using-api/idempotency-key (key, 15 days, 300 characters;
 *   409 `IDEMPOTENT_REQUEST_PROCESSING`, 400 `INVALID_IDEMPOTENCY_KEY`)
 * @see https://docs.tosspayments.com/reference/error-codes (`{ code, message }`)
 * @example tossPayments().headers('k1') // => { 'Idempotency-Key': 'k1' }
 */
export function tossPayments({
  resendWindowMs = 1_209_600_000,
}: TossPaymentsOptions = {}): Contract {
  return {
    name: 'Toss Payments',
    resendWindowMs,
    headers: key => ({ 'Idempotency-Key': key }),
    verdict(answer) {
      const { status = 0 } = answer
      const code = status >= 400 && status < 500 ? bodyText(answer, 'code') : ''
      const reason = code || answer.reason
      if (code === 'IDEMPOTENT_REQUEST_PROCESSING') {
        return verdictOf('in-progress', answer, 'wait', reason)
      }
      if (DECLINED.test(code)) return verdictOf('rejected', answer, 'stop', reason)
      if (UNSURE.test(code)) return verdictOf('unknown', answer, 'stop', reason)
      return { ...verdictByStatus(answer), reason }
    },
  }
}
