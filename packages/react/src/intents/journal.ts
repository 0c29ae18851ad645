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
   * Calls `listener` with the id of a record that was changed, here or in another tab; undefined: any
   * of them.
   *
   * @returns stops the calls
   */
  subscribe(listener: (id: string | undefined) => void): () => void
  /**
   * Makes this page the one that is busy with an intent, until `until` is settled or the page is gone.
   *
   * Optional: without it, two pages may send one key at the same time, which does no harm, and neither
   * can tell whether the other is still there.
   *
   * @returns resolves when no other page is busy with it; never rejects
   */
  claim?(id: string, until: Promise<unknown>): Promise<void>
}

/** Nothing was done, or everything is said: there is nothing to come back for. */
const FORGOTTEN_AT_LOGOUT = ['ready', 'succeeded', 'rejected']

/**
 * For a logout: forgets what is settled, with its results, and what was never sent. What is unresolved
 * stays, for a principal who may come back.
 *
 * @throws `IntentError` where a record cannot be changed
 * @example
 * await clearJournal(defaultJournal(), 'ann')
 */
export async function clearJournal(journal: Journal, principal: string): Promise<void> {
  for (const { id } of await journal.list(principal)) {
    await journal.update(id, record => ({
      record: record && FORGOTTEN_AT_LOGOUT.includes(record.state) ? undefined : record,
    }))
  }
}
