import type { Charge, ProviderFault } from '@query-retry/checkout-api'

export type ProviderDesk = ReturnType<typeof createProviderDesk>

/** As for the fault switches: the panel should say soon that nothing answers. */
const GIVE_UP_MS = 4_000

/** The backstage's own line to the payment provider: its ledger, and what goes wrong there. */
export function createProviderDesk(providerUrl: string) {
  const call = (path: string, init?: RequestInit) =>
    fetch(providerUrl + path, { ...init, signal: AbortSignal.timeout(GIVE_UP_MS) })

  return {
    /** What the provider has on record for an order, or undefined where it does not tell. */
    async readCharges(order: string): Promise<readonly Charge[] | undefined> {
      try {
        const response = await call(`/ledger?reference=${encodeURIComponent(order)}`)
        if (!response.ok) return undefined
        return ((await response.json()) as { charges: Charge[] }).charges
      } catch {
        return undefined
      }
    },

    /** What is left of the plan, or undefined where the provider does not tell. */
    async readFaults(): Promise<readonly ProviderFault[] | undefined> {
      try {
        const response = await call('/faults')
        if (!response.ok) return undefined
        return ((await response.json()) as { faults: ProviderFault[] }).faults
      } catch {
        return undefined
      }
    },

    /**
     * Replaces the plan.
     *
     * @throws when the provider does not take it
     */
    async setFaults(faults: readonly ProviderFault[]): Promise<void> {
      const { ok, status } = await call('/faults', {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ faults }),
      })
      if (!ok) throw new Error(`the provider answered ${status}`)
    },
  }
}
