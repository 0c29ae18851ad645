import { IntentError } from './intent-error.ts'
import { decodeIntent, type IntentRecord } from './intent-record.ts'
import type { Journal } from './journal.ts'

/** What the journal needs of a browser. */
export interface StorageGlobals
  extends Pick<EventTarget, 'addEventListener' | 'removeEventListener'> {
  localStorage: Storage
  navigator: { locks: { request(name: string, work: () => unknown): Promise<unknown> } }
}

const PREFIX = 'query-retry.intent:'

/**
 * A journal in `localStorage`, each change under a Web Lock: shared by tabs, there after a reload. A
 * second lock, held while a page is busy with an intent, tells the others when that page is gone.
 *
 * No standard promises that a tab which gets the lock sees what the last holder stored. Chromium, where
 * tabs are processes of their own, does: three tabs that counted one entry up 900 times, as fast as
 * they could, lost no count.
 *
 * @param meet - a record cannot be read or written. What it throws goes to the caller, and nothing has
 *   changed; where it returns, the journal goes on: without a record that cannot be read, and in
 *   memory with one that cannot be written
 * @param globals - left out: all of it in memory, which lives as long as the page
 */
export function createWebStorageJournal(
  meet: (error: IntentError) => void,
  globals?: StorageGlobals,
): Journal {
  const storage = globals?.localStorage
  const locks = globals?.navigator.locks
  /** What is not in the storage: there is none, or no room in it. */
  const unwritten = new Map<string, string | undefined>()
  const listeners = new Set<(id: string | undefined) => void>()

  function read(id: string): IntentRecord | undefined {
    const text = unwritten.has(id) ? unwritten.get(id) : storage?.getItem(PREFIX + id)
    const record = decodeIntent(id, text ?? '')
    if (text != null && !record)
      meet(new IntentError('JOURNAL_UNREADABLE', `Unreadable intent ${id}`, id))
    return record
  }

  function write(id: string, record: IntentRecord | undefined): void {
    let text: string | undefined
    try {
      text = record && JSON.stringify(record)
      unwritten.delete(id)
      if (text === undefined) storage?.removeItem(PREFIX + id)
      else if (storage) storage.setItem(PREFIX + id, text)
      else unwritten.set(id, text)
    } catch (cause) {
      // That it succeeded matters more than with what.
      if (record?.result !== undefined) {
        write(id, { ...record, result: undefined, isResultLost: true })
        return
      }
      meet(new IntentError('JOURNAL_WRITE', `No room for intent ${id}`, id, cause))
      unwritten.set(id, text)
    }
  }

  const update: Journal['update'] = async (id, change) => {
    const work = () => {
      const before = read(id)
      const result = change(before)
      if (result.record !== before) {
        write(id, result.record)
        for (const listener of listeners) listener(id)
      }
      return result
    }
    return (locks ? locks.request(PREFIX + id, work) : work()) as ReturnType<typeof work>
  }

  async function list(principal: string): Promise<IntentRecord[]> {
    const stored = Object.keys(storage ?? {}).filter(name => name.startsWith(PREFIX))
    const ids = new Set([...stored.map(name => name.slice(PREFIX.length)), ...unwritten.keys()])
    return [...ids].flatMap(id => {
      try {
        const record = read(id)
        return record?.principal === principal ? record : []
      } catch {
        return []
      }
    })
  }

  return {
    durability: storage ? 'shared' : 'page',
    update,
    list,
    read: async id => read(id),
    subscribe(listener) {
      const onStorage = (event: unknown) => {
        const { key } = event as StorageEvent
        if (!key || key.startsWith(PREFIX)) listener(key?.slice(PREFIX.length))
      }
      listeners.add(listener)
      globals?.addEventListener('storage', onStorage)
      return () => {
        listeners.delete(listener)
        globals?.removeEventListener('storage', onStorage)
      }
    },
    claim: (id, until) =>
      new Promise(resolve => {
        const hold = () => {
          resolve()
          return until
        }
        if (locks) locks.request(`${PREFIX}busy:${id}`, hold).catch(resolve)
        else resolve()
      }),
  }
}
