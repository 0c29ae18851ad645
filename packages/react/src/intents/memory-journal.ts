import type { Journal } from './journal.ts'
import { createWebStorageJournal } from './web-storage-journal.ts'

/**
 * A journal that lives as long as the page: a click, a re-render and a retry find their key again; a
 * reload and another tab do not.
 */
export function createMemoryJournal(): Journal {
  return createWebStorageJournal(() => {})
}
