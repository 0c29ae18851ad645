import { type AnyEvent, type IntentEvent, nameOf } from './intent-event.ts'
import {
  type IntentRecord,
  type IntentState,
  intentId,
  subjectPath,
  type WaitReason,
} from './intent-record.ts'
import { GUARDS, type KeyFate, type TableRow, TRANSITIONS } from './intent-table.ts'

type SubmitEvent = Extract<IntentEvent, { type: 'submit' }>

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

/** What the caller does next. */
export type IntentOutcome =
  /** The record permits an attempt: apply `dispatch`. */
  | { do: 'dispatch' }
  /** Send `record.key` now. The record says so already; it must be stored before the request leaves. */
  | { do: 'send' }
  /** Nothing before `record.notBeforeEpochMs`; then `dispatch`, or another look-up. */
  | { do: 'wait' }
  /** Somebody is busy with it, here or in another tab: follow the record. */
  | { do: 'join' }
  /** It is done, and `record.result` is its result. `isSamePayload` is false where this submit asked for something else. */
  | { do: 'answer'; isSamePayload: boolean }
  /** It definitely did not happen, or the record is gone: nothing more to do. */
  | { do: 'stop' }
  /** Nobody knows, and nothing more happens by itself: look the key up, fence it, or submit the same again. */
  | { do: 'ask' }
  | { do: 'refuse'; reason: RefusalReason }
  /** No row fits: the event is out of place, or about another key. Nothing has changed. */
  | { do: 'ignore' }

/** A record after an event, and what to do about it. */
export interface Transition {
  /** The same object where nothing changed; undefined where there is none (any more). */
  record: IntentRecord | undefined
  outcome: IntentOutcome
  /** Number of the row that applied, as in the design's table; undefined where none did. */
  row?: number
}

/**
 * What becomes of an intent by one event: the one place where a key is made, kept or given up.
 *
 * Pure but for `mintKey`, which is called at most once, and only where no key of this intent can have
 * done anything that is not settled. Never changes `record`.
 *
 * @param record - as the journal has it at this moment; undefined where it has none
 * @throws whatever `mintKey` throws, and `IntentError` for a submit that names nothing
 */
export function transition(
  record: IntentRecord | undefined,
  event: IntentEvent,
  mintKey: () => string,
): Transition {
  const owner = record?.principal ?? (event.type === 'submit' ? event.intent.principal : undefined)
  if (owner !== undefined && owner !== event.principal) {
    return { record, outcome: { do: 'refuse', reason: 'other-principal' }, row: 18 }
  }
  const found = record && isOfAnother(record, event) ? undefined : findRow(record, event)
  if (!found) return { record, outcome: { do: 'ignore' } }
  const [row, , , , to, fate, then] = found
  const outcome = outcomeOf(then, record, event)
  if (fate === 'mint') return { record: mint(event as SubmitEvent, mintKey), outcome, row }
  if (!record || to === 'none') return { record: undefined, outcome, row }
  const next = to === '=' ? stay(record, event, outcome) : move(record, event, to, fate)
  return { record: next, outcome, row }
}

/** What is said of an old key, or of another subject, moves nothing. */
function isOfAnother(record: IntentRecord, event: IntentEvent): boolean {
  return event.type === 'submit' ? intentId(event.intent) !== record.id : event.key !== record.key
}

function findRow(record: IntentRecord | undefined, event: AnyEvent): TableRow | undefined {
  const state = record?.state ?? 'none'
  const name = nameOf(event)
  return TRANSITIONS.find(
    ([, from, on, when]) =>
      has(from, state) && has(on, name) && (!when || allHold(when, record as IntentRecord, event)),
  )
}

function has(words: string, word: string): boolean {
  return words.split(' ').includes(word)
}

function allHold(when: string, record: IntentRecord, event: AnyEvent): boolean {
  return when.split(' ').every(word => {
    const holds = !!GUARDS[word.replace('!', '')]?.(record, event)
    return holds === (word[0] !== '!')
  })
}

function outcomeOf(
  then: string,
  record: IntentRecord | undefined,
  { fingerprint }: AnyEvent,
): IntentOutcome {
  const [what, reason] = then.split(':')
  if (what === 'refuse') return { do: what, reason: reason as RefusalReason }
  if (what !== 'answer') return { do: what as 'stop' }
  return { do: what, isSamePayload: (fingerprint ?? record?.fingerprint) === record?.fingerprint }
}

function mint(
  { intent, fingerprint, nowEpochMs, resendWindowMs, holder }: SubmitEvent,
  mintKey: () => string,
): IntentRecord {
  return {
    version: 1,
    id: intentId(intent),
    principal: intent.principal,
    operation: intent.operation,
    subject: subjectPath(intent.subject),
    fingerprint,
    key: mintKey(),
    state: 'ready',
    dispatchCount: 0,
    isUnresolved: false,
    createdAtEpochMs: nowEpochMs,
    submittedAtEpochMs: nowEpochMs,
    resendWindowMs,
    sendByEpochMs: nowEpochMs + resendWindowMs,
    ...(holder && { holder }),
  }
}

/** The same state: the person's wish is renewed, and whoever takes over is noted. */
function stay(record: IntentRecord, event: IntentEvent, outcome: IntentOutcome): IntentRecord {
  const next = { ...record }
  if (outcome.do !== 'dispatch' && outcome.do !== 'join') return record
  if (event.type === 'submit') next.submittedAtEpochMs = event.nowEpochMs
  if (outcome.do === 'dispatch') {
    delete next.holder
    if (event.holder) next.holder = event.holder
  }
  return next
}

function move(record: IntentRecord, event: AnyEvent, to: string, fate: KeyFate): IntentRecord {
  const { nowEpochMs, holder, notBeforeEpochMs } = event
  const { waitReason: _, notBeforeEpochMs: __, holder: ___, ...kept } = record
  const next: IntentRecord = { ...kept, state: to as IntentState }
  const name = nameOf(event)
  // Whatever ends an attempt leaves it unresolved, but for a refusal in front of the layer: that says
  // nothing of earlier ones, so the mark stays as it was before this attempt.
  if (record.state === 'sending' && name !== 'not-processed') next.isUnresolved = true
  if (event.reason !== undefined) next.reason = event.reason

  if (to === 'sending') {
    next.dispatchCount++
    // Nobody can have seen the key before.
    if (next.dispatchCount === 1) next.sendByEpochMs = nowEpochMs + next.resendWindowMs
  }
  if (to === 'waiting') {
    next.waitReason = event.waitReason ?? waitReasonOf(name, event)
    if (notBeforeEpochMs !== undefined) next.notBeforeEpochMs = notBeforeEpochMs
  }
  if (holder && (to === 'waiting' || to === 'sending')) next.holder = holder
  if (fate === 'retire') {
    next.isUnresolved = false
    next.settledAtEpochMs = nowEpochMs
    if (event.reason === undefined) delete next.reason
    if (to === 'succeeded' && event.result !== undefined) next.result = event.result
  }
  return next
}

/** What an intent waits for where the caller does not say. */
function waitReasonOf(name: string, { attempt }: AnyEvent): WaitReason {
  if (/running|progress/.test(name)) return 'in-progress'
  return attempt ? 'backoff' : 'orphan'
}
