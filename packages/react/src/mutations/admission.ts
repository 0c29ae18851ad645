import type { Clock } from '@query-retry/core'
import { mintIdempotencyKey } from '../intents/idempotency-key.ts'
import { type Transition, transition } from '../intents/intent-machine.ts'
import type { IntentIdentity, IntentRecord } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'
import { changeIntent, holdUntil, isHeldHere } from './intent-changes.ts'
import { refusalOf } from './refusal.ts'

/** An attempt that wants to be sent. */
export interface Admission {
  journal: Journal
  id: string
  intent: IntentIdentity
  fingerprint: string
  resendWindowMs: number
  /** Of a later attempt: the key of the first. Without it the intent is submitted. */
  key?: string
  /** When the person asked for it. */
  submittedAtEpochMs?: number
  /** How long this page counts as busy with it, from the dispatch on. */
  leaseMs: number
  clock: Clock
  /** Who is logged in now. */
  principal(): string
  /** What failed before, for whoever gets the refusal. */
  cause?: unknown
}

/** However long a record says: the clock that wrote it may have been wrong. */
const LONGEST_WAIT_MS = 60_000

/**
 * Asks the journal whether an attempt may be sent, and waits until it says so: for another tab that is
 * busy with the intent, or until the time that the server asked for has come.
 *
 * @returns a record in state `sending`: send its key now; or `succeeded`: this is its result
 * @throws {IntentError} where nothing may be sent
 */
export async function admit(request: Admission): Promise<IntentRecord> {
  const { clock, cause, fingerprint, id, intent, journal, key, leaseMs, resendWindowMs } = request
  let followedKey = key
  let mayBeEarly = !!key
  let wake = new AbortController()
  const unsubscribe = journal.subscribe(which => (which ?? id) === id && wake.abort())

  function ask(found: IntentRecord | undefined): Transition {
    // Who submits the same in this page joins its run, and comes here only where there is none (any more).
    const record = found && isHeldHere(journal, found) ? { ...found, holder: undefined } : found
    const isFollowed = followedKey && followedKey === record?.key
    // Settled elsewhere while we waited for it: a submit would make another key of it.
    if (isFollowed && record?.state === 'rejected') return { record, next: 'stop' }
    const epochMs = clock.epochMs()
    const nowEpochMs = mayBeEarly ? Math.max(epochMs, record?.notBeforeEpochMs ?? 0) : epochMs
    const holder = holdUntil(journal, epochMs + leaseMs)
    const moment = { fingerprint, holder, nowEpochMs, principal: request.principal() }
    let change: Transition = { record, next: 'dispatch' }
    if (!key) {
      const { submittedAtEpochMs } = request
      const submit = { type: 'submit', intent, resendWindowMs, submittedAtEpochMs } as const
      change = transition(record, { ...submit, ...moment }, mintIdempotencyKey)
    }
    // Twice where whoever sent it last is gone.
    for (let left = 2; change.next === 'dispatch' && left > 0; left--) {
      const dispatch = { type: 'dispatch', key: key ?? change.record?.key ?? '' } as const
      change = transition(change.record, { ...dispatch, ...moment }, mintIdempotencyKey)
    }
    return change
  }

  try {
    for (;;) {
      const { next, record, refusal } = await changeIntent(journal, id, ask)
      if (record && next === 'send') return record
      if (record && next === 'answer') {
        if (record.fingerprint !== fingerprint) throw refusalOf('other-succeeded', id, cause)
        if (record.isResultLost) throw refusalOf('result-lost', id, cause)
        return record
      }
      if (record && next === 'join') {
        followedKey = record.key
        await sleepUntil(record.holder?.untilEpochMs)
      } else if (record && next === 'wait') {
        await sleepUntil(record.notBeforeEpochMs)
        mayBeEarly = true
      } else if (next !== 'stop' || followedKey) {
        throw refusalOf(next === 'stop' ? 'rejected' : (refusal ?? 'no-intent'), id, cause)
      }
    }
  } finally {
    unsubscribe()
  }

  /** Or until another tab has changed the record. */
  async function sleepUntil(untilEpochMs = 0): Promise<void> {
    const { signal } = wake
    const leftMs = Math.max(1, untilEpochMs - clock.epochMs())
    await clock.sleep(Math.min(leftMs, LONGEST_WAIT_MS), signal).catch(() => {})
    if (signal.aborted) wake = new AbortController()
  }
}
