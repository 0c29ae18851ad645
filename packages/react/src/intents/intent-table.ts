import type { AnyEvent } from './intent-event.ts'
import type { IntentRecord } from './intent-record.ts'

/** What the transition leaves the key as. Only `mint` makes a new one. */
export type KeyFate =
  /** A new key; an old one is settled, or was never sent. */
  | 'mint'
  /** The same key, for whatever comes. */
  | 'keep'
  /** Settled: never sent again. */
  | 'retire'
  /** Forgotten: settled long ago, given up by `start-over`, or never sent. */
  | 'drop'

/**
 * - row: number in the design's table (design/idempotency.md, "Transitions")
 * - from: states, `none` where there is no record
 * - on: event types
 * - when: guards that must all hold, `!` for "not"
 * - to: next state; `=` for no change, `none` for no record
 * - then: what the caller does next (`IntentStep`), with a refusal after the colon
 */
export type TableRow = readonly [
  row: number,
  from: string,
  on: string,
  when: string,
  to: string,
  key: KeyFate,
  then: string,
]

const UNSETTLED = 'sending waiting unknown expired conflict'
/** The first row that fits counts; where none does, the event changes nothing. */
// biome-ignore format: a table
export const TRANSITIONS: readonly TableRow[] = [
  // The person asks.
  [ 0, 'succeeded',                       'submit dispatch', '',                     '=',         'retire', 'answer'],
  [ 1, 'none rejected',                   'submit',          '',                     'ready',     'mint',   'dispatch'],
  [ 3, 'ready',                           'submit',          '!same',                'ready',     'mint',   'dispatch'],
  [10, 'conflict',                        'submit dispatch', '',                     '=',         'keep',   'refuse:conflict'],
  [13, 'sending waiting unknown expired', 'submit',          '!same',                '=',         'keep',   'refuse:outcome-unknown'],
  [13, 'expired',                         'submit dispatch', '',                     '=',         'keep',   'refuse:expired'],
  [12, 'ready sending waiting',           'submit',          'held',                 '=',         'keep',   'join'],
  [12, 'ready',                           'submit',          '',                     '=',         'keep',   'dispatch'],
  [17, 'sending',                         'submit',          '',                     'waiting',   'keep',   'dispatch'],
  [14, 'waiting unknown',                 'submit dispatch', 'late unresolved',      'expired',   'keep',   'refuse:expired'],
  [14, 'waiting',                         'submit dispatch', 'late',                 'rejected',  'retire', 'stop'],
  [12, 'waiting unknown',                 'submit',          '',                     '=',         'keep',   'dispatch'],
  // An attempt is about to be sent.
  [20, 'none',                            'dispatch',        '',                     '=',         'keep',   'refuse:no-intent'],
  [ 6, 'rejected',                        'dispatch',        '',                     '=',         'retire', 'stop'],
  [13, 'ready waiting unknown',           'dispatch',        '!same',                '=',         'keep',   'refuse:payload-changed'],
  [ 3, 'ready waiting',                   'dispatch',        'stale !unresolved',    '=',         'keep',   'refuse:needs-confirmation'],
  [11, 'waiting',                         'dispatch',        'early',                '=',         'keep',   'wait'],
  [ 2, 'ready',                           'dispatch',        '',                     'sending',   'keep',   'send'],
  [11, 'waiting',                         'dispatch',        '',                     'sending',   'keep',   'send'],
  [12, 'unknown',                         'dispatch',        '',                     'sending',   'keep',   'send'],
  [12, 'sending',                         'dispatch',        'held',                 '=',         'keep',   'join'],
  [17, 'sending',                         'dispatch',        '',                     'waiting',   'keep',   'dispatch'],
  // An attempt has answered.
  [ 5, UNSETTLED,                         'succeeded',       '',                     'succeeded', 'retire', 'answer'],
  [ 6, UNSETTLED,                         'rejected',        '',                     'rejected',  'retire', 'stop'],
  [10, 'sending waiting unknown expired', 'mismatch',        '',                     'conflict',  'keep',   'ask'],
  [ 8, 'sending',                         'in-progress',     'latest again !late',   'waiting',   'keep',   'wait'],
  [ 9, 'sending',                         'unknown',         'latest again !late',   'waiting',   'keep',   'wait'],
  [ 7, 'sending',                         'not-processed',   'latest again !late',   'waiting',   'keep',   'wait'],
  [ 7, 'sending',                         'not-processed',   'latest !unresolved',   'rejected',  'retire', 'stop'],
  [14, 'sending',                         'in-progress unknown not-processed', 'latest late', 'expired', 'keep', 'ask'],
  [ 9, 'sending',                         'in-progress unknown not-processed', 'latest',      'unknown', 'keep', 'ask'],
  // Nobody tries any more.
  [ 4, 'ready',                           'cancel start-over', '',                   'none',      'drop',   'stop'],
  [14, 'waiting',                         'budget-spent cancel', '!unresolved',      'rejected',  'retire', 'stop'],
  [14, 'sending waiting',                 'budget-spent cancel', 'late',             'expired',   'keep',   'ask'],
  [14, 'sending waiting',                 'budget-spent cancel', '',                 'unknown',   'keep',   'ask'],
  [13, 'unknown expired conflict',        'cancel',          '',                     '=',         'keep',   'refuse:outcome-unknown'],
  [17, 'sending',                         'orphan-found',    '',                     'waiting',   'keep',   'dispatch'],
  [17, 'ready waiting',                   'orphan-found',    '',                     '=',         'keep',   'dispatch'],
  [17, 'unknown expired conflict',        'orphan-found',    '',                     '=',         'keep',   'ask'],
  // The server was asked about the key, or asked to burn it.
  [15, UNSETTLED,                         'found-succeeded', '',                     'succeeded', 'retire', 'answer'],
  [15, UNSETTLED,                         'found-rejected',  '',                     'rejected',  'retire', 'stop'],
  [16, UNSETTLED,                         'found-burnt',     '',                     'rejected',  'retire', 'stop'],
  [15, 'unknown expired',                 'found-running',   '',                     'waiting',   'keep',   'wait'],
  [15, 'sending waiting conflict',        'found-running',   '',                     '=',         'keep',   'wait'],
  [15, UNSETTLED,                         'found-waiting found-not-found found-review found-expired', '', '=', 'keep', 'ask'],
  // Another one of the same, and the end of memory.
  [ 1, 'succeeded rejected',              'start-over',      '',                     'none',      'drop',   'stop'],
  [13, UNSETTLED,                         'start-over',      '',                     '=',         'keep',   'refuse:outcome-unknown'],
  [ 4, 'ready',                           'expire',          'late',                 'none',      'drop',   'stop'],
  [14, 'waiting unknown',                 'expire',          'late unresolved',      'expired',   'keep',   'ask'],
  [14, 'waiting',                         'expire',          'late',                 'rejected',  'retire', 'stop'],
  [ 1, 'succeeded rejected',              'expire',          'old',                  'none',      'drop',   'stop'],
]

/** A person's wish goes stale: 15 minutes. */
const MAX_QUEUE_AGE_MS = 900_000

type Guard = (record: IntentRecord, event: AnyEvent) => unknown

/** The words of the `when` column. */
export const GUARDS: Record<string, Guard> = {
  /** The payload is the one that the key is for. */
  same: (record, event) => event.fingerprint === record.fingerprint,
  /** Somebody is busy with it. */
  held: ({ holder }, { nowEpochMs }) => holder && nowEpochMs < holder.untilEpochMs,
  /** The key may not be sent any more. */
  late: ({ sendByEpochMs }, { nowEpochMs }) => nowEpochMs >= sendByEpochMs,
  /** It is too soon for the next attempt. */
  early: ({ notBeforeEpochMs = 0 }, { nowEpochMs }) => nowEpochMs < notBeforeEpochMs,
  /** The person asked for it too long ago. */
  stale: ({ submittedAtEpochMs }, { nowEpochMs, maxQueueAgeMs = MAX_QUEUE_AGE_MS }) =>
    nowEpochMs - submittedAtEpochMs > maxQueueAgeMs,
  /** An attempt before the one under way may have taken effect. */
  unresolved: ({ isUnresolved }) => isUnresolved,
  /** It is the attempt under way that has answered. */
  latest: ({ dispatchCount }, { attempt }) => attempt === dispatchCount,
  /** The caller is going to try again. */
  again: (_, { notBeforeEpochMs, waitReason }) => (notBeforeEpochMs ?? waitReason) !== undefined,
  /** Settled a whole resend window ago: nobody clicks on that any more. */
  old: ({ settledAtEpochMs = Infinity, resendWindowMs }, { nowEpochMs }) =>
    nowEpochMs - settledAtEpochMs >= resendWindowMs,
}
