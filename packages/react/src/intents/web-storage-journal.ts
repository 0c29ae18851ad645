import { IntentError } from './intent-error.ts'
import { encodeIntent, withoutResult } from './intent-record.ts'
import type { Journal } from './journal.ts'
import { createStoredJournal } from './stored-journal.ts'

/** What the journal needs of a browser. */
export interface StorageGlobals
  extends Pick<EventTarget, 'addEventListener' | 'removeEventListener'> {
  localStorage: Storage
  navigator: { locks: { request(name: string, work: () => unknown): Promise<unknown> } }
}

/**
 * - `'required'`: what cannot be kept is not sent; the caller gets an {@link IntentError}
 * - `'best-effort'`: it is sent, this page remembers it, and the problem is reported
 */
export type JournalPolicy = 'required' | 'best-effort'

const PREFIX = 'query-retry.intent:'

/**
 * A journal in `localStorage`, each change under a Web Lock: shared by tabs, there after a reload.
 *
 * No standard promises that a tab which gets the lock sees what the last holder stored. Chromium, where
 * tabs are processes of their own, does: three tabs that counted one entry up 900 times, as fast as
 * they could, lost no count.
 *
 * A record that cannot be read may stand for a payment that was made. `'required'` refuses its subject
 * until the entry is removed or the version that wrote it is back; `'best-effort'` reports it once and
 * goes on as if there were none, which leaves the server's own rule as the only protection.
 *
 * @param report - called once for each record and problem
 */
export function createWebStorageJournal(
  globals: StorageGlobals,
  policy: JournalPolicy,
  report: (error: IntentError) => void,
): Journal {
  const storage = globals.localStorage
  const reported = new Set<string>()
  /** What could not be written, and the stored text in whose place it stands. */
  const unwritten = new Map<string, { text: string | undefined; over: string | null }>()

  function meet(error: IntentError): void {
    if (policy === 'required') throw error
    const { message } = error
    if (!reported.has(message)) report(error)
    reported.add(message)
  }

  function write(id: string, text: string | undefined): void {
    if (text === undefined) storage.removeItem(PREFIX + id)
    else storage.setItem(PREFIX + id, text)
    unwritten.delete(id)
  }

  return createStoredJournal({
    durability: 'shared',
    get: id => (unwritten.get(id) ?? { text: storage.getItem(PREFIX + id) ?? undefined }).text,
    set(id, text, record) {
      const stored = storage.getItem(PREFIX + id)
      try {
        const held = unwritten.get(id)
        // Somebody else has written since: theirs is another intent, and not ours to overwrite.
        if (held && held.over !== stored) throw undefined
        write(id, text)
      } catch (cause) {
        try {
          // That it succeeded matters more than with what.
          if (record?.result !== undefined) return write(id, encodeIntent(withoutResult(record)))
        } catch {}
        meet(new IntentError('JOURNAL_WRITE', `No room for intent ${id}`, id, cause))
        unwritten.set(id, { text, over: stored })
      }
    },
    ids: () =>
      Object.keys(storage).flatMap(name =>
        name.startsWith(PREFIX) ? name.slice(PREFIX.length) : [],
      ),
    exclusively: (id, work) => globals.navigator.locks.request(PREFIX + id, work) as never,
    onUnreadable: meet,
    subscribe(listener) {
      const onStorage = ({ key, storageArea }: StorageEvent) => {
        if (storageArea && storageArea !== storage) return
        if (key === null) listener(undefined)
        else if (key.startsWith(PREFIX)) listener(key.slice(PREFIX.length))
      }
      globals.addEventListener('storage', onStorage as EventListener)
      return () => globals.removeEventListener('storage', onStorage as EventListener)
    },
  })
}
