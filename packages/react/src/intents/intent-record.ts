import { IntentError } from './intent-error.ts'

// Bundlers replace the expression below, and production builds lose the advice with it.
declare const process: { env: { NODE_ENV?: string } }

/**
 * How far an intent has got.
 *
 * - `'ready'`: the key exists and has never left this machine
 * - `'sending'`: an attempt is under way
 * - `'waiting'`: the next attempt is to come by itself
 * - `'unknown'`: sent, and nobody is trying any more; it may or may not have happened
 * - `'expired'`: the same, and too late to send the key again: look it up, or fence it
 * - `'conflict'`: the key belongs to another payload; it is never sent again
 * - `'succeeded'`, `'rejected'`: settled; rejected means that it definitely did not happen
 */
export type IntentState =
  | 'ready'
  | 'sending'
  | 'waiting'
  | 'unknown'
  | 'expired'
  | 'conflict'
  | 'succeeded'
  | 'rejected'

/** What an intent is about, as a path: `['order', 'ord_1']`. Numbers count as their text. */
export type IntentSubject = readonly (string | number)[]

/** What tells one intent from another: who wants what done to what. */
export interface IntentIdentity {
  /** Who is logged in, as the server scopes its keys. */
  principal: string
  /** What is done: `'pay'`. */
  operation: string
  subject: IntentSubject
}

/**
 * One thing that a person wants done once, as a journal keeps it. Plain JSON, one per principal,
 * operation and subject; the variables are not in it, and neither is any part of the request.
 */
export interface IntentRecord {
  /** Of this shape. A record of another version is not read, and not overwritten without a word. */
  version: 1
  /** {@link intentId} of principal, operation and subject. */
  id: string
  principal: string
  operation: string
  subject: readonly string[]
  /** Of operation, subject and variables: whether a later click means the same. */
  fingerprint: string
  /** The idempotency key. */
  key: string
  state: IntentState
  /** Attempts that were begun. */
  dispatchCount: number
  /** An attempt before the one under way may have taken effect: only the key's own answer settles that. */
  isUnresolved: boolean
  createdAtEpochMs: number
  /** When the person last asked for it. */
  submittedAtEpochMs: number
  /** How long after its first attempt the key may be sent, as the contract says. */
  resendWindowMs: number
  /** The key is not sent at or after this instant. From creation until the first attempt, then from that. */
  sendByEpochMs: number
  /** No attempt before this instant. */
  notBeforeEpochMs?: number
  settledAtEpochMs?: number
  /** Of a rejection, or of what is unknown: a slug such as `payment-declined`. */
  reason?: string
  /** Of a success: what the mutation returned, as JSON gives it back. */
  result?: unknown
  /** The result was not JSON, or there was no room for it. The success itself is certain. */
  isResultLost?: true
}

/**
 * The one name of an intent. Different identities never share it, and `1` and `'1'` do: an order
 * number that came once from JSON and once from the address bar is one order.
 *
 * @throws {IntentError} `INTENT_IDENTITY` where a part is missing, empty or neither text nor a whole number:
 *   an intent that names nothing would be one with every other such
 * @returns for ann, who pays order 7: `["ann","pay","order","7"]`
 */
export function intentId({ principal, operation, subject }: IntentIdentity): string {
  return JSON.stringify([
    partOf('principal', principal),
    partOf('operation', operation),
    ...subjectPath(subject),
  ])
}

/** The subject as texts. @throws {IntentError} `INTENT_IDENTITY` */
export function subjectPath(subject: IntentSubject): string[] {
  if (!Array.isArray(subject) || !subject.length) throw unnamed('subject')
  return subject.map(part => partOf('subject', part))
}

function partOf(field: string, part: unknown): string {
  if (Number.isSafeInteger(part) || (typeof part === 'string' && part)) return String(part)
  throw unnamed(field)
}

/** Where each part of an intent comes from. */
const SOURCES: Record<string, string> = {
  principal: '`principal` has to be who is logged in',
  operation: '`mutationKey` has to name what is done',
  subject: '`intent` has to return a path of texts and whole numbers, such as ["order", "1001"]',
}

function unnamed(field: string): IntentError {
  const text = `${field} of an intent names nothing`
  const message = process.env.NODE_ENV === 'production' ? text : `${text}: ${SOURCES[field]}`
  return new IntentError('INTENT_IDENTITY', message, field)
}

/**
 * @returns undefined for what is no record of this version under this id: cut off, somebody else's, of
 *   another version. Never throws.
 */
export function decodeIntent(id: string, text: string): IntentRecord | undefined {
  try {
    const record: IntentRecord = JSON.parse(text)
    return record.version === 1 && intentId(record) === id && record.key ? record : undefined
  } catch {
    return undefined
  }
}
