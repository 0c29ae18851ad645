import type { IntentRecord } from './intent-record.ts'

/** What a change leaves: the record to keep, undefined for none. */
export interface JournalChange {
  record: IntentRecord | undefined
}

/**
 * Where intents are kept, so that a key survives whatever becomes of the page. Bring your own for
 * IndexedDB, React Native storage or a worker; `journalChecks` says whether it holds.
 *
 * A record is never kept without its owner's leave (`principal`), and the variables never reach it.
 */
export interface Journal {
  /**
   * How far a record reaches. `'shared'`: every tab, and the next visit. `'page'`: this page only; a
   * reload loses it, and the server's own rule is then the only protection.
   */
  readonly durability: 'shared' | 'page'
  /**
   * Reads, changes and writes one record as one step: whoever else updates it, in whatever tab, comes
   * before or after, never in between. Resolves when the change is kept.
   *
   * @param change - called once, at once or later, with the record as it is then. Synchronous, and may
   *   not write to what it gets. The same object back means that nothing is written.
   * @returns what `change` returned
   * @throws what `change` throws, or `IntentError`; nothing is written then
   */
  update<Change extends JournalChange>(
    id: string,
    change: (record: IntentRecord | undefined) => Change,
  ): Promise<Change>
  /** @returns undefined where there is none. @throws `IntentError` where it cannot be read. */
  read(id: string): Promise<IntentRecord | undefined>
  /** Everything of one principal, in no order. What cannot be read is left out. */
  list(principal: string): Promise<IntentRecord[]>
  /**
   * For a logout: forgets what is settled, with its results, and what was never sent. What is
   * unresolved stays, for a principal who may come back.
   */
  clear(principal: string): Promise<void>
  /**
   * Calls `listener` with the id of a record that another tab changed; undefined: any of them.
   *
   * @returns stops the calls
   */
  subscribe(listener: (id: string | undefined) => void): () => void
}
