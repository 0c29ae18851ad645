import { randomBytes } from 'node:crypto'
import type { Charge } from './charge.ts'
import { type ChargeRequest, fingerprintOf } from './charge-request.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'
import { declineCodeOf } from './payment-method.ts'

export interface CashierOptions {
  ledger: Ledger
  keyRetentionMs: number
  nowEpochMs: () => number
  log: (line: string) => void
}

/**
 * What a key means to the cashier at this moment: nothing yet, the charge of this very request, or
 * that of another one.
 */
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
  readonly #log: (line: string) => void
  readonly #running = new Map<string, { fingerprint: string; charge: Promise<Charge> }>()
  readonly #late = new Map<string, { fingerprint: string; timer: NodeJS.Timeout }>()

  constructor({ ledger, keyRetentionMs, nowEpochMs, log }: CashierOptions) {
    this.#ledger = ledger
    this.#keyRetentionMs = keyRetentionMs
    this.#nowEpochMs = nowEpochMs
    this.#log = log
  }

  /** A late charge that is still to come is `new`, but already refuses other parameters. */
  standingOf(key: string, request: ChargeRequest): KeyStanding {
    const made = this.#running.get(key) ?? this.#findRemembered(key)
    const known = made ?? this.#late.get(key)
    if (known && known.fingerprint !== fingerprintOf(request)) return 'mismatch'
    return made ? 'known' : 'new'
  }

  /**
   * Makes the charge, or gives the one that this key already made. The caller has refused a key
   * whose standing is `mismatch`.
   *
   * @param declineCode - declines a new charge for this reason, whatever the payment method
   * @returns resolves when the charge is in the ledger; `isReplay` where an earlier call made it
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

    this.#forgetLate(key)
    const fingerprint = fingerprintOf(request)
    const charge = this.#write(key, fingerprint, request, declineCode)
    this.#running.set(key, { fingerprint, charge })
    try {
      return { charge: await charge, isReplay: false }
    } finally {
      this.#running.delete(key)
    }
  }

  /**
   * Makes the charge after `delayMs`, as a provider does whose answer is lost while its own bank is
   * slow. A repeat of the key that comes earlier makes the charge right then, and this one is void.
   */
  chargeLater(key: string, request: ChargeRequest, delayMs: number): void {
    if (this.standingOf(key, request) !== 'new' || this.#late.has(key)) return
    const timer = setTimeout(() => {
      this.charge(key, request).catch(error =>
        this.#log(`A late charge for ${request.reference} failed: ${error}`),
      )
    }, delayMs)
    this.#late.set(key, { fingerprint: fingerprintOf(request), timer })
  }

  /** Late charges that are still to come never will: nobody was promised one. */
  close(): void {
    if (this.#late.size > 0) this.#log(`Closing before ${this.#late.size} late charges were made`)
    for (const key of this.#late.keys()) this.#forgetLate(key)
  }

  #forgetLate(key: string): void {
    clearTimeout(this.#late.get(key)?.timer)
    this.#late.delete(key)
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
