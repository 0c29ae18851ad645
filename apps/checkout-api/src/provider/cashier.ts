import { randomBytes } from 'node:crypto'
import type { Charge } from './charge.ts'
import { type ChargeRequest, fingerprintOf } from './charge-request.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'
import { declineCodeOf } from './payment-method.ts'

export interface CashierOptions {
  ledger: Ledger
  keyRetentionMs: number
  nowEpochMs: () => number
}

/** What a key means to the cashier at this moment. */
export type KeyStanding = 'new' | 'known' | 'mismatch'

/**
 * Charges once per key. A repeat gets the charge there is, and one that comes while the first is
 * still being written waits for it.
 *
 * A key older than `keyRetentionMs` is forgotten, and charges again.
 */
export class Cashier {
  readonly #ledger: Ledger
  readonly #keyRetentionMs: number
  readonly #nowEpochMs: () => number
  readonly #running = new Map<string, { fingerprint: string; charge: Promise<Charge> }>()

  constructor({ ledger, keyRetentionMs, nowEpochMs }: CashierOptions) {
    this.#ledger = ledger
    this.#keyRetentionMs = keyRetentionMs
    this.#nowEpochMs = nowEpochMs
  }

  /** Whether this request would be charged, is a repeat, or uses the key of another request. */
  standingOf(key: string, request: ChargeRequest): KeyStanding {
    const known = this.#running.get(key) ?? this.#findRemembered(key)
    if (!known) return 'new'
    return known.fingerprint === fingerprintOf(request) ? 'known' : 'mismatch'
  }

  /**
   * Makes the charge, or gives the one that this key already made. The caller has refused a key
   * whose standing is `mismatch`.
   *
   * @param declineCode - declines a new charge for this reason, whatever the payment method
   * @returns resolves when the charge is in the ledger
   */
  async charge(
    key: string,
    request: ChargeRequest,
    declineCode = declineCodeOf(request.paymentMethod),
  ): Promise<{ charge: Charge; isReplay: boolean }> {
    const running = this.#running.get(key)
    if (running) return { charge: await running.charge, isReplay: true }
    const remembered = this.#findRemembered(key)
    if (remembered) return { charge: remembered.charge, isReplay: true }

    const fingerprint = fingerprintOf(request)
    const charge = this.#write(key, fingerprint, request, declineCode)
    this.#running.set(key, { fingerprint, charge })
    try {
      return { charge: await charge, isReplay: false }
    } finally {
      this.#running.delete(key)
    }
  }

  async #write(
    key: string,
    fingerprint: string,
    { reference, amount, currency }: ChargeRequest,
    declineCode: string | undefined,
  ): Promise<Charge> {
    const charge: Charge = {
      id: `ch_${randomBytes(12).toString('hex')}`,
      status: declineCode === undefined ? 'captured' : 'declined',
      ...(declineCode !== undefined && { declineCode }),
      reference,
      amount,
      currency,
      createdAt: new Date(this.#nowEpochMs()).toISOString(),
    }
    await this.#ledger.add({ key, fingerprint, charge })
    return charge
  }

  #findRemembered(key: string): LedgerEntry | undefined {
    const entry = this.#ledger.findByKey(key)
    if (!entry) return undefined
    const ageMs = this.#nowEpochMs() - Date.parse(entry.charge.createdAt)
    return ageMs < this.#keyRetentionMs ? entry : undefined
  }
}
