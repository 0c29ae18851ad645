import { IntentError } from './intent-error.ts'
import { decodeIntent, encodeIntent, type IntentRecord } from './intent-record.ts'
import type { Journal } from './journal.ts'

/** Texts by name, and what keeps two of its users apart. */
export interface RecordStore extends Pick<Journal, 'durability' | 'subscribe'> {
  get(id: string): string | undefined
  /** @param text - undefined: to be removed */
  set(id: string, text: string | undefined, record: IntentRecord | undefined): void
  ids(): string[]
  /** Runs `work` while nobody else works on this record. */
  exclusively<T>(id: string, work: () => T): Promise<T>
  /** A record cannot be read. Throws, or returns to go on without it. */
  onUnreadable(error: IntentError): void
}

/** Nothing was done, or everything is said: there is nothing to come back for. */
const FORGOTTEN_AT_LOGOUT = ['ready', 'succeeded', 'rejected']

/** A journal over a store of texts: what is the same for all of them. */
export function createStoredJournal(store: RecordStore): Journal {
  const { durability, subscribe, exclusively } = store

  function read(id: string): IntentRecord | undefined {
    const text = store.get(id)
    if (text === undefined) return undefined
    const record = decodeIntent(id, text)
    if (!record) {
      const message = `Unreadable intent ${id}: damaged, or of another version`
      store.onUnreadable(new IntentError('JOURNAL_UNREADABLE', message, id))
    }
    return record
  }

  const update: Journal['update'] = (id, change) =>
    exclusively(id, () => {
      const before = read(id)
      const result = change(before)
      const { record } = result
      if (record !== before) store.set(id, record && encodeIntent(record), record)
      return result
    })

  async function list(principal: string): Promise<IntentRecord[]> {
    return store.ids().flatMap(id => {
      const record = decodeIntent(id, store.get(id) ?? '')
      return record?.principal === principal ? record : []
    })
  }

  return {
    durability,
    subscribe,
    update,
    list,
    read: async id => read(id),
    async clear(principal) {
      for (const { id } of await list(principal)) {
        await update(id, record => ({
          record: record && FORGOTTEN_AT_LOGOUT.includes(record.state) ? undefined : record,
        }))
      }
    },
  }
}
