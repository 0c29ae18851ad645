import type { IntentIdentity } from './intent-record.ts'

/** What an answer says about the key, as a contract reads it. */
export type VerdictKind =
  /** Done: under this key, or, where the answer says so, under another one. */
  | 'succeeded'
  /** Definitely not done, says the key's own answer. */
  | 'rejected'
  /** Somebody is at it. */
  | 'in-progress'
  /** The key belongs to another payload. */
  | 'mismatch'
  /** This attempt did nothing. It says nothing about earlier ones. */
  | 'not-processed'
  /** Everything else. */
  | 'unknown'

/** What the server says of a key that it was asked about, or asked to burn. */
export type KeyFinding =
  | 'succeeded'
  | 'rejected'
  | 'running'
  /** Nothing has been done, and nothing will be until it is sent again. */
  | 'waiting'
  /** No proof of anything: the request may still be under way. */
  | 'not-found'
  /** A person is finding out. */
  | 'review'
  /** Settled once; nobody knows how. */
  | 'expired'
  /** By a fence: never executed, and never will be. */
  | 'burnt'

/** Every event says when it happened, and who is logged in now. */
interface Moment {
  nowEpochMs: number
  principal: string
}

/** Every event but a submit is about one key: what is said of an old key moves no newer intent. */
interface AboutKey extends Moment {
  key: string
  /** A slug for what happened: `network`, `payment-declined`. */
  reason?: string
}

/** The person asks for it: a click, or the resume of a mutation that was paused. */
export interface SubmitEvent extends Moment {
  type: 'submit'
  intent: IntentIdentity
  fingerprint: string
  resendWindowMs: number
  /** When the person asked for it, where that was earlier: a mutation that was paused. Default now. */
  submittedAtEpochMs?: number
}

/** An attempt is about to be sent. Only where the next step is `send` it may be. */
export interface DispatchEvent extends AboutKey {
  type: 'dispatch'
  fingerprint: string
}

/** When the next attempt or look-up comes. Without it, nobody tries again by himself. */
interface NextAttempt {
  notBeforeEpochMs?: number
}

/** An attempt has answered, or failed without an answer; or what the mutation returned is its success. */
export interface AnswerEvent extends AboutKey, NextAttempt {
  type: VerdictKind
  /** The `dispatchCount` that this attempt was sent with. */
  attempt: number
  result?: unknown
  /** A success whose result nobody has: under another key, say. */
  isResultLost?: true
}

/** The server was asked about the key (look-up), or asked to burn it (fence). */
export interface FindingEvent extends AboutKey, NextAttempt {
  type: `found-${KeyFinding}`
  result?: unknown
  /** A success whose result was not told. */
  isResultLost?: true
}

export interface IntentMoveEvent extends AboutKey {
  type:
    | 'budget-spent' /** No more attempts by themselves: retries, deadline or wait used up. */
    | 'start-over' /** The person wants another one of the same. */
}

export type IntentEvent = SubmitEvent | DispatchEvent | AnswerEvent | FindingEvent | IntentMoveEvent

/** An event whose members can be asked for without knowing its type. */
export type AnyEvent = Moment &
  NextAttempt &
  Partial<Omit<SubmitEvent, 'type'>> &
  Partial<Omit<DispatchEvent, 'type'>> &
  Partial<Omit<AnswerEvent, 'type'>> & { type: IntentEvent['type'] }
