/**
 * What a provider answers about money it took, or did not. The members stand in the order in which
 * they are sent: a replay repeats the first answer byte for byte, and JSON keeps this order.
 */
export interface Charge {
  /** `ch_` and 24 hexadecimal digits. */
  id: string
  status: 'captured' | 'declined'
  /** Why, of a declined one. */
  declineCode?: string
  /** The shop's own name for what is paid, for example `ord_1004`. */
  reference: string
  /** In the currency's minor unit. */
  amount: number
  currency: string
  /** ISO 8601, UTC. */
  createdAt: string
}
