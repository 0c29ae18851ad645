import type { IntentHolder, IntentIdentity, WaitReason } from './intent-record.ts'

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

/** What a look-up, or a fence that could not burn the key, says. */
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

/** Every event says when it happened, and who is logged in now. */
interface Moment {
  nowEpochMs: number
  principal: string
  /** Who is busy with it from now on; ignored where nobody is. */
  holder?: IntentHolder
}

/** Every event but a submit is about one key: what is said of an old key moves no newer intent. */
interface AboutKey extends Moment {
  key: string
}

/** What the next attempt waits for, where there is to be one. Neither given: nobody tries again. */
interface NextAttempt {
  notBeforeEpochMs?: number
  waitReason?: WaitReason
}

export type IntentEvent =
  /** The person asks for it: a click, or the resume of a mutation that was paused. */
  | (Moment & {
      type: 'submit'
      intent: IntentIdentity
      fingerprint: string
      resendWindowMs: number
    })
  /** An attempt is about to be sent. Only the outcome `send` permits it. */
  | (AboutKey & {
      type: 'dispatch'
      fingerprint: string
      /** How old a request may be that was never processed. Default 15 minutes. */
      maxQueueAgeMs?: number
    })
  /** An attempt has answered, or failed without an answer. */
  | (AboutKey &
      NextAttempt & {
        type: 'verdict'
        verdict: VerdictKind
        /** The `dispatchCount` that this attempt was sent with. */
        attempt: number
        result?: unknown
        reason?: string
      })
  | (AboutKey &
      NextAttempt & { type: 'lookup'; found: KeyFinding; result?: unknown; reason?: string })
  | (AboutKey &
      NextAttempt & {
        type: 'fence'
        found: KeyFinding | 'burnt'
        result?: unknown
        reason?: string
      })
  | (AboutKey & {
      type:
        | 'budget-spent' /** No more attempts by themselves: retries, deadline or wait used up. */
        | 'orphan-found' /** Whoever was busy with it is known to be gone. */
        | 'cancel' /** The person takes it back, or edits it. */
        | 'start-over' /** The person wants another one of the same. */
        | 'expire' /** Time has passed. */
      reason?: string
    })

/** The events as the table knows them: verdicts by their kind, findings as `lookup-...` and `fence-...`. */
export type EventName =
  | Exclude<IntentEvent['type'], 'verdict' | 'lookup' | 'fence'>
  | VerdictKind
  | `lookup-${KeyFinding}`
  | `fence-${KeyFinding | 'burnt'}`

export function nameOf(event: IntentEvent): EventName {
  if (event.type === 'verdict') return event.verdict
  if (event.type === 'lookup') return `lookup-${event.found}`
  return event.type === 'fence' ? `fence-${event.found}` : event.type
}

/** An event whose optional members can be asked for without knowing its type. */
export type AnyEvent = IntentEvent &
  NextAttempt & {
    nowEpochMs: number
    key?: string
    fingerprint?: string
    maxQueueAgeMs?: number
    attempt?: number
    result?: unknown
    reason?: string
  }
