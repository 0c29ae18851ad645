import type { Journal } from './journal.ts'
import { createStoredJournal } from './stored-journal.ts'

/**
 * A journal that lives as long as the page: a click, a re-render and a retry find their key again; a
 * reload and another tab do not.
 */
export function createMemoryJournal(): Journal {
  const texts = new Map<string, string>()
  return createStoredJournal({
    durability: 'page',
    get: id => texts.get(id),
    set: (id, text) => (text === undefined ? texts.delete(id) : texts.set(id, text)),
    ids: () => [...texts.keys()],
    // Synchronous work: nobody can come in between.
    exclusively: async (_, work) => work(),
    // Nobody else writes here.
    onUnreadable: () => {},
    subscribe: () => () => {},
  })
}
