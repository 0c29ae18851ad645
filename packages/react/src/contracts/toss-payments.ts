import { bodyText, type Contract, createContract, verdictByStatus, verdictOf } from './contract.ts'

export interface TossPaymentsOptions {
  /** Default 13 days: Toss keeps a key for 15, of which the day of its first use may be one. */
  resendWindowMs?: number
}

/** The card company or the bank said no, so the payment was tried: this is the key's own answer. */
const DECLINED =
  /^(REJECT_(CARD_COMPANY|CARD_PAYMENT|ACCOUNT_PAYMENT)|INVALID_(REJECT_CARD|STOPPED_CARD|CARD_LOST_OR_STOLEN))$/
/**
 * Nobody's refusal, though a 4xx: the provider or the card company did not answer, or what was asked for
 * was done or begun before, with whatever result.
 */
const UNSURE =
  /^(PROVIDER_ERROR$|CARD_PROCESSING_ERROR$|ALREADY_|DUPLICATED_|FORBIDDEN_CONSECUTIVE_REQUEST$)/
/** A limit or a rule: no login helps. An earlier attempt may be what used the limit up. */
const RULED_OUT =
  /^(EXCEED_|REJECT_|FDS_ERROR$|INVALID_PASSWORD$|NOT_(ALLOWED|AVAILABLE|CANCELABLE|SUPPORTED)_)/

/**
 * Toss Payments (토스페이먼츠), or a server that hands its answers on: the bare key (at most 300
 * characters), valid for 15 days from the day of its first use, by secret key, address and method. The
 * first answer is repeated **whatever the body says**: the body is not among what is compared, no listed
 * code is about it, and another payment under the same key was seen to get the first one's answer. So a
 * key never serves two.
 *
 * Not documented: which errors are kept under a key, and which checks come before it is looked up. So
 * only a refusal by the card company or the bank is final. Limits (`EXCEED_`) and wrong requests say
 * nothing of an earlier attempt, and Toss itself warns against another key before the cause is known.
 *
 * @see https://docs.tosspayments.com/reference/using-api/authorization (멱등키 헤더: key, 300 characters,
 *   15 days, what is compared; 409 `IDEMPOTENT_REQUEST_PROCESSING`, 400 `INVALID_IDEMPOTENCY_KEY`)
 * @see https://docs.tosspayments.com/reference/error-codes (`{ code, message }`, every code and status)
 * @see https://techchat.tosspayments.com/m/1186570706016809030 (another payment under the same key)
 * @example tossPayments().headers('k1') // => { 'Idempotency-Key': 'k1' }
 */
export function tossPayments({
  resendWindowMs = 1_123_200_000,
}: TossPaymentsOptions = {}): Contract {
  return createContract({
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
      if (UNSURE.test(code) || RULED_OUT.test(code)) {
        return verdictOf('unknown', answer, 'stop', reason)
      }
      return { ...verdictByStatus(answer), reason }
    },
  })
}
