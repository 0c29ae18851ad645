import type { Fault, FaultState, ProviderFault } from '@query-retry/checkout-api'
import type { FaultSwitches } from './fault-switches.ts'
import type { ProviderDesk } from './provider-desk.ts'

export const TROUBLES = [
  'none',
  'answer-lost',
  'request-lost',
  'provider-silent',
  'provider-slow',
  'declined',
] as const

/** What the next payment of an order meets. */
export type PaymentTrouble = (typeof TROUBLES)[number]

/** What each is: a fault of the shop's server, or of the provider behind it. */
const FAULTS: Record<PaymentTrouble, { shop?: Fault; provider?: ProviderFault }> = {
  none: {},
  'answer-lost': { shop: { kind: 'lost-answer', calls: 1 } },
  'request-lost': { shop: { kind: 'close', calls: 1 } },
  'provider-silent': { provider: { kind: 'lost-after', calls: 1 } },
  'provider-slow': { provider: { kind: 'slow', delayMs: 5_000, calls: 1 } },
  declined: { provider: { kind: 'decline', declineCode: 'insufficient-funds', calls: 1 } },
}

/** @throws where server or provider does not take it */
export async function setTrouble(
  order: string,
  trouble: PaymentTrouble,
  { faults, provider }: { faults: FaultSwitches; provider: ProviderDesk },
): Promise<void> {
  const { shop, provider: own } = FAULTS[trouble]
  await Promise.all([
    shop ? faults.set('pay', shop) : faults.clear('pay'),
    provider.setFaults(own ? [{ ...own, reference: order }] : []),
  ])
}

/** Which trouble is left, by what server and provider have set. */
export function troubleOf(
  order: string,
  shop: FaultState | null | undefined,
  provider: readonly ProviderFault[],
): PaymentTrouble {
  const own = provider.find(({ reference = order }) => reference === order)
  const isSet = (trouble: PaymentTrouble) =>
    FAULTS[trouble].shop
      ? FAULTS[trouble].shop.kind === shop?.kind
      : FAULTS[trouble].provider?.kind === own?.kind
  return TROUBLES.find(trouble => trouble !== 'none' && (shop || own) && isSet(trouble)) ?? 'none'
}
