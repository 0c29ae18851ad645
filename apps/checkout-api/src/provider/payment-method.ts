/**
 * The payment methods there are, like a provider's test cards: each always has the same outcome.
 * A code is the reason of a decline.
 */
const TEST_METHODS: ReadonlyMap<string, { declineCode?: string }> = new Map([
  ['card_ok', {}],
  ['card_declined', { declineCode: 'insufficient-funds' }],
  ['card_expired', { declineCode: 'expired-card' }],
])

export const PAYMENT_METHODS: readonly string[] = [...TEST_METHODS.keys()]

/** The reason why this payment method is declined; undefined where it is not. */
export function declineCodeOf(paymentMethod: string): string | undefined {
  return TEST_METHODS.get(paymentMethod)?.declineCode
}
