import type { AnyEvent } from './intent-event.ts'
import type { IntentRecord } from './intent-record.ts'

/**
 * - from: states, `none` where there is no record
 * - on: event types
 * - when: guards that must all hold, `!` for "not"
 * - to: next state; `=` for no change, `none` for no record. Only a row to `ready` makes a new key, and
 *   only one to `none` forgets a key
 * - then: what the caller does next (`IntentStep`), with a refusal after the colon
 */
export type TableRow = readonly [from: string, on: string, when: string, to: string, then: string]

const UNSETTLED = 'sending waiting unknown expired conflict'
const NO_ANSWER = 'in-progress unknown not-processed'

/**
 * The first row that fits counts; where none does, the event changes nothing. The numbers are those of
 * the transitions in the design (design/idempotency.md).
 */
// biome-ignore format: a table
export const TRANSITIONS: readonly TableRow[] = [
  // The person asks. Where no row fits, the dispatch that follows has the answer.
  ['rejected',                        'submit',          'overtaken',         '=',         'stop'],                      // 12
  ['none ready rejected',             'submit',          '',                  'ready',     'dispatch'],                  // 1, 3
  ['sending waiting unknown expired', 'submit',          '!same',             '=',         'refuse:outcome-unknown'],    // 13
  ['waiting',                         'submit',          'late !unresolved',  'ready',     'dispatch'],                  // 14, 1
  ['sending waiting unknown',         'submit',          '',                  '=',         'dispatch'],                  // 12
  // An attempt is about to be sent.
  ['succeeded',                       'dispatch',        '',                  '=',         'answer'],                    // 0
  ['rejected',                        'dispatch',        '',                  '=',         'stop'],                      // 6
  ['none',                            'dispatch',        '',                  '=',         'refuse:no-intent'],          // 20
  ['conflict',                        'dispatch',        '',                  '=',         'refuse:conflict'],           // 10
  ['expired',                         'dispatch',        '',                  '=',         'refuse:expired'],            // 13
  ['waiting',                         'dispatch',        'late !unresolved',  'rejected',  'stop'],                      // 14
  ['sending waiting unknown',         'dispatch',        'late',              'expired',   'refuse:expired'],            // 14
  ['ready sending waiting unknown',   'dispatch',        '!same',             '=',         'refuse:payload-changed'],    // 13
  ['ready waiting',                   'dispatch',        'stale !unresolved', '=',         'refuse:needs-confirmation'], // 3
  ['waiting',                         'dispatch',        'early',             '=',         'wait'],                      // 11
  ['ready sending waiting unknown',   'dispatch',        '',                  'sending',   'send'],                      // 2, 11, 17
  // An attempt has answered.
  [UNSETTLED,                         'succeeded found-succeeded', '',        'succeeded', 'answer'],                    // 5, 15, 16
  [UNSETTLED,                         'rejected found-rejected found-burnt', '', 'rejected', 'stop'],                    // 6, 15, 16
  ['sending waiting unknown expired', 'mismatch',        '',                  'conflict',  'ask'],                       // 10
  ['sending',                         NO_ANSWER,         'latest again !late', 'waiting',  'wait'],                      // 7, 8, 9
  ['sending',                         'not-processed',   'latest !unresolved', 'rejected', 'stop'],                      // 7
  ['sending',                         NO_ANSWER,         'latest late',       'expired',   'ask'],                       // 14
  ['sending',                         NO_ANSWER,         'latest',            'unknown',   'ask'],                       // 9
  // Nobody tries any more.
  ['waiting',                         'budget-spent',    '!unresolved',       'rejected',  'stop'],                      // 14
  ['sending waiting',                 'budget-spent',    'late',              'expired',   'ask'],                       // 14
  ['sending waiting',                 'budget-spent',    '',                  'unknown',   'ask'],                       // 14
  // Another one of the same.
  ['ready succeeded rejected',        'start-over',      '',                  'none',      'stop'],                      // 1, 4
  [UNSETTLED,                         'start-over',      '',                  '=',         'refuse:outcome-unknown'],    // 13
]

/** A person's wish goes stale: 15 minutes. */
const MAX_QUEUE_AGE_MS = 900_000

type Guard = (record: IntentRecord, event: AnyEvent) => unknown

/** The words of the `when` column. */
export const GUARDS: Record<string, Guard> = {
  /** The payload is the one that the key is for. */
  same: (record, event) => event.fingerprint === record.fingerprint,
  /** The key may not be sent any more. */
  late: ({ sendByEpochMs }, { nowEpochMs }) => nowEpochMs >= sendByEpochMs,
  /** It is too soon for the next attempt. */
  early: ({ notBeforeEpochMs = 0 }, { nowEpochMs }) => nowEpochMs < notBeforeEpochMs,
  /** The person asked for it too long ago. */
  stale: ({ submittedAtEpochMs }, { nowEpochMs }) =>
    nowEpochMs - submittedAtEpochMs > MAX_QUEUE_AGE_MS,
  /** The person asked before the answer was there: two clicks, in two tabs, are one wish. */
  overtaken: ({ settledAtEpochMs = 0 }, { submittedAtEpochMs = Infinity }) =>
    submittedAtEpochMs < settledAtEpochMs,
  /** An attempt before the one under way may have taken effect. */
  unresolved: ({ isUnresolved }) => isUnresolved,
  /** It is the attempt under way that has answered. */
  latest: ({ dispatchCount }, { attempt }) => attempt === dispatchCount,
  /** The caller is going to try again. */
  again: (_, { notBeforeEpochMs }) => notBeforeEpochMs !== undefined,
}
