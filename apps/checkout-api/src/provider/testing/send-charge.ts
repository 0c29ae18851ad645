import type { Charge } from '../charge.ts'

export const ORDER = {
  reference: 'ord_1004',
  amount: 76_000,
  currency: 'KRW',
  paymentMethod: 'card_ok',
}

/** `POST /charges` for an order of 76,000 won, with what is told otherwise. */
export function sendCharge(
  providerUrl: string,
  key: string,
  changes: Partial<typeof ORDER> = {},
): Promise<Response> {
  return fetch(`${providerUrl}/charges`, {
    method: 'POST',
    headers: { 'Idempotency-Key': key },
    body: JSON.stringify({ ...ORDER, ...changes }),
  })
}

/** `GET /charges/by-key/:key` */
export function lookUp(providerUrl: string, key: string): Promise<Response> {
  return fetch(`${providerUrl}/charges/by-key/${encodeURIComponent(key)}`)
}

/** `GET /ledger` */
export async function readLedger(providerUrl: string, search = ''): Promise<Charge[]> {
  const response = await fetch(`${providerUrl}/ledger${search}`)
  return ((await response.json()) as { charges: Charge[] }).charges
}
