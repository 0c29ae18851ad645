import type { AnyEvent, IntentEvent } from './intent-event.ts'
import { type IntentRecord, type IntentState, intentId, subjectPath } from './intent-record.ts'
import { GUARDS, TRANSITIONS } from './intent-table.ts'

/** Why nothing is sent, though the person or the runner asked for it. */
export type RefusalReason =
  /** An earlier payload of this subject is unresolved; or it is not known yet, so no starting over. */
  | 'outcome-unknown'
  /** Unresolved, and too late to send the key again: look it up, or fence it. */
  | 'expired'
  /** The key belongs to another payload. */
  | 'conflict'
  /** Somebody else is logged in. */
  | 'other-principal'
  /** What is about to be sent is not what the key is for. */
  | 'payload-changed'
  /** The person asked so long ago that they must ask again. */
  | 'needs-confirmation'
  /** There is no such intent: it was taken back, or the storage was emptied. */
  | 'no-intent'

/**
 * What the caller does next.
 *
 * - `'dispatch'`: the record permits an attempt; apply the event `dispatch`
 * - `'send'`: send `record.key` now. The record says so already, and must be stored before the request leaves
 * - `'wait'`: nothing before `record.notBeforeEpochMs`; then `dispatch`, or another look-up
 * - `'answer'`: it is done, and `record.result` is its result. A submit of another payload gets it too:
 *   compare the fingerprints, and say so
 * - `'stop'`: it definitely did not happen, or the record is gone
 * - `'ask'`: nobody knows, and nothing more happens by itself: look the key up, fence it, or submit the
 *   same again
 * - `'refuse'`: nothing is sent, for the reason in `refusal`
 * - `'ignore'`: the event is out of place, or about another key; nothing has changed
 */
export type IntentStep =
  | 'dispatch'
  | 'send'
  | 'wait'
  | 'answer'
  | 'stop'
  | 'ask'
  | 'refuse'
  | 'ignore'

/** A record after an event, and what to do about it. */
export interface Transition {
  /** The same object where nothing changed; undefined where there is none (any more). */
  record: IntentRecord | undefined
  next: IntentStep
  refusal?: RefusalReason
}

/**
 * What becomes of an intent by one event: the one place where a key is made, kept or given up.
 *
 * Pure but for `mintKey`, which is called at most once, and only where no key of this intent can have
 * done anything that is not settled. Never changes `record`.
 *
 * @param record - as the journal has it at this moment, under the id of the event's intent; undefined
 *   where it has none
 * @throws whatever `mintKey` throws, and `IntentError` for a submit that names nothing
 */
export function transition(
  record: IntentRecord | undefined,
  event: IntentEvent,
  mintKey: () => string,
): Transition {
  const { intent, key, principal }: AnyEvent = event
  if ((record ?? intent ?? event).principal !== principal) {
    return { record, next: 'refuse', refusal: 'other-principal' }
  }
  const isOfOtherKey = record && !intent && key !== record.key
  const found =
    !isOfOtherKey && TRANSITIONS.find(row => fits(row[0], row[1], row[2], record, event))
  if (!found) return { record, next: 'ignore' }
  const [, , , to, then] = found
  const [next, refusal] = then.split(':') as [IntentStep, RefusalReason | undefined]
  let after: IntentRecord | undefined
  if (to === 'ready') after = mint(event, mintKey)
  else if (record && to === '=') after = next === 'dispatch' ? renew(record, event) : record
  else if (record && to !== 'none') after = move(record, event, to as IntentState)
  return { record: after, next, refusal }
}

function fits(
  from: string,
  on: string,
  when: string,
  record: IntentRecord | undefined,
  event: IntentEvent,
): boolean {
  const has = (words: string, word: string) => words.split(' ').includes(word)
  return (
    has(from, record?.state ?? 'none') &&
    has(on, event.type) &&
    (!record || when.split(' ').every(word => !word || holds(word, record, event)))
  )
}

function holds(word: string, record: IntentRecord, event: AnyEvent): boolean {
  const isTrue = !!GUARDS[word.replace('!', '')]?.(record, event)
  return isTrue === (word[0] !== '!')
}

function mint(event: AnyEvent, mintKey: () => string): IntentRecord | undefined {
  const { intent, fingerprint, resendWindowMs, nowEpochMs } = event
  return (
    intent && {
      version: 1,
      id: intentId(intent),
      ...intent,
      subject: subjectPath(intent.subject),
      fingerprint: fingerprint as string,
      key: mintKey(),
      state: 'ready',
      dispatchCount: 0,
      isUnresolved: false,
      createdAtEpochMs: nowEpochMs,
      submittedAtEpochMs: event.submittedAtEpochMs ?? nowEpochMs,
      resendWindowMs: resendWindowMs as number,
      sendByEpochMs: nowEpochMs + (resendWindowMs as number),
    }
  )
}

/** The person has asked again. */
function renew(record: IntentRecord, { nowEpochMs, submittedAtEpochMs = nowEpochMs }: AnyEvent) {
  return { ...record, submittedAtEpochMs }
}

function move(record: IntentRecord, event: AnyEvent, state: IntentState): IntentRecord {
  const { type, nowEpochMs, notBeforeEpochMs, reason, result } = event
  const next: IntentRecord = { ...record, state, notBeforeEpochMs: undefined }
  if (state === 'waiting') next.notBeforeEpochMs = notBeforeEpochMs
  // Whatever ends an attempt leaves it unresolved, but for a refusal in front of the layer: that says
  // nothing of earlier ones, so the mark stays as it was before this attempt.
  if (record.state === 'sending' && type !== 'not-processed') next.isUnresolved = true
  if (reason) next.reason = reason
  // With the first attempt the window opens: nobody can have seen the key before.
  if (state === 'sending' && !next.dispatchCount++) {
    next.sendByEpochMs = nowEpochMs + next.resendWindowMs
  }
  if (state === 'succeeded' || state === 'rejected') {
    next.isUnresolved = false
    next.settledAtEpochMs = nowEpochMs
    next.reason = reason
  }
  if (state === 'succeeded') {
    next.result = result
    next.isResultLost = event.isResultLost
  }
  return next
}
