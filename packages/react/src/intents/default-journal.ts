import { isServer } from '../is-server.ts'
import { IntentError } from './intent-error.ts'
import type { Journal } from './journal.ts'
import { createWebStorageJournal, type StorageGlobals } from './web-storage-journal.ts'

/**
 * - `'required'`: what cannot be kept is not sent; the caller gets an {@link IntentError}
 * - `'best-effort'`: it is sent, this page remembers it, and the problem is reported
 */
export type JournalPolicy = 'required' | 'best-effort'

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
 *
 * A record that cannot be read may stand for a payment that was made. `'required'` refuses its subject
 * until the entry is removed or the version that wrote it is back; `'best-effort'` reports it once and
 * goes on as if there were none, which leaves the server's own rule as the only protection.
 */
export function createDefaultJournal(options: DefaultJournalOptions = {}): Journal {
  const { durability = 'best-effort', onProblem = warn, globals = globalThis } = options
  const browser = globals as StorageGlobals
  const told = new Set<string>()

  function meet(error: IntentError): void {
    if (durability === 'required') throw error
    if (!told.has(error.message)) onProblem(error)
    told.add(error.message)
  }

  let problem: IntentError
  try {
    // Reading only: where there is no room to write, what was written before still counts.
    browser.localStorage.getItem('')
    if (browser.navigator.locks) return createWebStorageJournal(meet, browser)
    problem = unavailable('no Web Locks (they need https)')
  } catch (cause) {
    problem = unavailable('no localStorage', cause)
  }
  const journal = createWebStorageJournal(meet)
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
