/** An amount in the currency's minor unit: KRW 12000 is 12,000 won, EUR 1200 would be 12 euros. */
export interface Money {
  amount: number
  currency: string
}
