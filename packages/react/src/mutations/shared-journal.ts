import { createDefaultJournal } from '../intents/default-journal.ts'
import type { Journal } from '../intents/journal.ts'

let shared: Journal | undefined

/** One journal for all mutations of the page that bring none, created when the first of them needs it. */
export function defaultJournal(): Journal {
  shared ??= createDefaultJournal()
  return shared
}
