import type { JournalEntry } from '../evidence.ts'

const RECORDS = 'query-retry.intent:'
const HISTORY = 'chaos.history:'

/**
 * Keeps every state that a record of the journal goes through, beside it. The journal writes under a
 * lock, and this in the same step, so that no tab's states are lost among another's.
 */
export function recordJournal(): void {
  const { setItem } = Storage.prototype
  Storage.prototype.setItem = function (name, text) {
    setItem.call(this, name, text)
    if (!name.startsWith(RECORDS)) return
    const historyName = HISTORY + name.slice(RECORDS.length)
    const history = JSON.parse(this.getItem(historyName) ?? '[]') as JournalEntry[]
    const { key, state, dispatchCount } = JSON.parse(text) as JournalEntry
    const last = history.at(-1)
    if (last?.key === key && last.state === state) return
    setItem.call(this, historyName, JSON.stringify([...history, { key, state, dispatchCount }]))
  }
}
