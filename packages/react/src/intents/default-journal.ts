import { isServer } from '../is-server.ts'
import { IntentError } from './intent-error.ts'
import type { Journal } from './journal.ts'
import { createMemoryJournal } from './memory-journal.ts'
import {
  createWebStorageJournal,
  type JournalPolicy,
  type StorageGlobals,
} from './web-storage-journal.ts'

export interface DefaultJournalOptions {
  /** Default `'best-effort'`. */
  durability?: JournalPolicy
  /** What could not be kept, once for each record. Default: a warning on the console. */
  onProblem?: (error: IntentError) => void
  /** Default `globalThis`. */
  globals?: unknown
}

/**
 * The journal of this browser: `localStorage` under a Web Lock where it has both and lets us use them.
 * Elsewhere (plain http, storage forbidden, a server) one in memory, or, with
 * `durability: 'required'`, one that refuses every change with an {@link IntentError}, so that nothing
 * is sent. A storage that is full is still read; each record that it cannot keep is met by the same rule.
 * Creating a journal never throws.
 */
export function createDefaultJournal(options: DefaultJournalOptions = {}): Journal {
  const { durability = 'best-effort', onProblem = warn, globals = globalThis } = options
  const browser = globals as StorageGlobals
  let problem: IntentError
  try {
    // Reading only: where there is no room to write, what was written before still counts.
    browser.localStorage.getItem('')
    if (browser.navigator.locks) return createWebStorageJournal(browser, durability, onProblem)
    problem = unavailable('no Web Locks (they need https)')
  } catch (cause) {
    problem = unavailable('no localStorage', cause)
  }
  const journal = createMemoryJournal()
  if (durability === 'required') return { ...journal, update: () => Promise.reject(problem) }
  // A server has no page to survive.
  if (!isServer()) onProblem(problem)
  return journal
}

function unavailable(what: string, cause?: unknown): IntentError {
  const message = `Keys do not survive this page: ${what}`
  return new IntentError('JOURNAL_UNAVAILABLE', message, undefined, cause)
}

function warn(error: IntentError): void {
  console.warn(`[query-retry] ${error.message}`)
}
