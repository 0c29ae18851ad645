import { createDefaultJournal } from '../intents/default-journal.ts'
import type { Journal } from '../intents/journal.ts'

let shared: Journal | undefined

/**
 * The journal of all mutations that bring none: `createDefaultJournal()`, created when the first of them
 * needs it.
 *
 * @example
 * // At a logout: what is settled is forgotten, with its results; what is unresolved stays.
 * await clearJournal(defaultJournal(), 'ann')
 */
export function defaultJournal(): Journal {
  shared ??= createDefaultJournal()
  return shared
}
