import type { Charge } from './charge.ts'

/** A charge as the provider keeps it: with what it must know to tell a repeat from a mistake. */
export interface LedgerEntry {
  key: string
  /** Of the request; see `fingerprintOf`. */
  fingerprint: string
  charge: Charge
}

/** Where entries are made durable before anybody hears of them. */
interface Store {
  append(entry: LedgerEntry): Promise<void>
}

/** Every charge there ever was, in order of time. What is in here has happened. */
export class Ledger {
  readonly #entries: LedgerEntry[] = []
  /** A key that was forgotten and used again has several charges; the newest is the one it means. */
  readonly #newestByKey = new Map<string, LedgerEntry>()
  readonly #store: Store | undefined

  /**
   * @param store - undefined keeps the ledger in memory only
   * @param entries - what the store held already
   */
  constructor(store?: Store, entries: readonly LedgerEntry[] = []) {
    this.#store = store
    for (const entry of entries) this.#show(entry)
  }

  /** Resolves when the charge is as durable as this ledger is; until then nobody sees it. */
  async add(entry: LedgerEntry): Promise<void> {
    await this.#store?.append(entry)
    this.#show(entry)
  }

  /** The newest charge under this key, however old. */
  findByKey(key: string): LedgerEntry | undefined {
    return this.#newestByKey.get(key)
  }

  /** @param reference - only the charges for this; undefined for all */
  list(reference?: string): Charge[] {
    const charges = this.#entries.map(entry => entry.charge)
    return reference === undefined
      ? charges
      : charges.filter(charge => charge.reference === reference)
  }

  #show(entry: LedgerEntry): void {
    this.#entries.push(entry)
    this.#newestByKey.set(entry.key, entry)
  }
}
