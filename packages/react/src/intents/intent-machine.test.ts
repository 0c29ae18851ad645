import { describe, expect, it } from 'vitest'
import type { IntentEvent } from './intent-event.ts'
import { transition } from './intent-machine.ts'
import { INTENT_STATES, type IntentRecord, type IntentState, intentId } from './intent-record.ts'
import { TRANSITIONS } from './intent-table.ts'

const NOW = 1_000_000
const WINDOW_MS = 3_600_000
const INTENT = { principal: 'ann', operation: 'pay', subject: ['order', 'ord_1'] }

/** One record for each state, as it is a minute after the click: in the window, held by nobody. */
function recordIn(state: IntentState, changes: Partial<IntentRecord> = {}): IntentRecord {
  const isSettled = state === 'succeeded' || state === 'rejected'
  return {
    version: 1,
    id: intentId(INTENT),
    ...INTENT,
    fingerprint: 'same',
    key: 'key-1',
    state,
    dispatchCount: state === 'ready' ? 0 : 2,
    isUnresolved: !isSettled && state !== 'ready',
    createdAtEpochMs: NOW - 60_000,
    submittedAtEpochMs: NOW - 60_000,
    resendWindowMs: WINDOW_MS,
    sendByEpochMs: NOW + WINDOW_MS - 60_000,
    ...(state === 'waiting' && { waitReason: 'backoff' as const }),
    ...(isSettled && { settledAtEpochMs: NOW - 1_000 }),
    ...(state === 'succeeded' && { result: { id: 'pay_1' } }),
    ...changes,
  }
}

const now = { nowEpochMs: NOW, principal: 'ann' }

/** The event of a type, as the attempt under way or the runner would report it. */
function eventOf(type: string, changes: object = {}): IntentEvent {
  const submit = { intent: INTENT, resendWindowMs: WINDOW_MS }
  const mayTryAgain = !/^(submit|dispatch)$/.test(type)
  return {
    type,
    ...now,
    ...(type === 'submit' ? submit : { key: 'key-1', attempt: 2 }),
    ...(mayTryAgain ? { notBeforeEpochMs: NOW + 500 } : { fingerprint: 'same' }),
    ...changes,
  } as IntentEvent
}

/** `row state outcome`; `*` marks a new key, `-` an event that is out of place. */
function apply(record: IntentRecord | undefined, event: IntentEvent): string {
  const before = record && structuredClone(record)
  const { record: after, next, refusal, row } = transition(record, event, () => 'key-2')
  expect(record, 'the record that was given is not written to').toEqual(before)
  if (next === 'ignore') {
    expect(after).toBe(record)
    expect(row).toBeUndefined()
    return '-'
  }
  if (after && record?.state === after.state && after.key === record.key) {
    const { isUnresolved } = record
    expect(after.isUnresolved, 'a stay changes nothing but wish and holder').toBe(isUnresolved)
  }
  const mark = after?.key === 'key-2' ? '*' : ''
  return `${row} ${after?.state ?? 'none'}${mark} ${refusal ?? next}`
}

// Every event in every state: same payload, in the window, held by nobody, from the latest attempt,
// with an earlier attempt unresolved, and the caller willing to try again.
const MATRIX = `
event             | none              | ready               | sending             | waiting             | unknown             | expired             | conflict            | succeeded          | rejected
submit            | 1 ready* dispatch | 12 ready dispatch   | 17 waiting dispatch | 12 waiting dispatch | 12 unknown dispatch | 13 expired expired  | 10 conflict conflict | 0 succeeded answer | 1 ready* dispatch
dispatch          | 20 none no-intent | 2 sending send      | 17 waiting dispatch | 11 sending send     | 12 sending send     | 13 expired expired  | 10 conflict conflict | 0 succeeded answer | 6 rejected stop
succeeded         | -                 | -                   | 5 succeeded answer  | 5 succeeded answer  | 5 succeeded answer  | 5 succeeded answer  | 5 succeeded answer  | -                  | -
rejected          | -                 | -                   | 6 rejected stop     | 6 rejected stop     | 6 rejected stop     | 6 rejected stop     | 6 rejected stop     | -                  | -
in-progress       | -                 | -                   | 8 waiting wait      | -                   | -                   | -                   | -                   | -                  | -
mismatch          | -                 | -                   | 10 conflict ask     | 10 conflict ask     | 10 conflict ask     | 10 conflict ask     | -                   | -                  | -
not-processed     | -                 | -                   | 7 waiting wait      | -                   | -                   | -                   | -                   | -                  | -
unknown           | -                 | -                   | 9 waiting wait      | -                   | -                   | -                   | -                   | -                  | -
budget-spent      | -                 | -                   | 14 unknown ask      | 14 unknown ask      | -                   | -                   | -                   | -                  | -
cancel            | -                 | 4 none stop         | 14 unknown ask      | 14 unknown ask      | 13 unknown outcome-unknown | 13 expired outcome-unknown | 13 conflict outcome-unknown | - | -
start-over        | -                 | 4 none stop         | 13 sending outcome-unknown | 13 waiting outcome-unknown | 13 unknown outcome-unknown | 13 expired outcome-unknown | 13 conflict outcome-unknown | 1 none stop | 1 none stop
expire            | -                 | -                   | -                   | -                   | -                   | -                   | -                   | -                  | -
orphan-found      | -                 | 17 ready dispatch   | 17 waiting dispatch | 17 waiting dispatch | 17 unknown ask      | 17 expired ask      | 17 conflict ask     | -                  | -
found-succeeded   | -                 | -                   | 15 succeeded answer | 15 succeeded answer | 15 succeeded answer | 15 succeeded answer | 15 succeeded answer | -                  | -
found-rejected    | -                 | -                   | 15 rejected stop    | 15 rejected stop    | 15 rejected stop    | 15 rejected stop    | 15 rejected stop    | -                  | -
found-running     | -                 | -                   | 15 sending wait     | 15 waiting wait     | 15 waiting wait     | 15 waiting wait     | 15 conflict wait    | -                  | -
found-waiting     | -                 | -                   | 15 sending ask      | 15 waiting ask      | 15 unknown ask      | 15 expired ask      | 15 conflict ask     | -                  | -
found-not-found   | -                 | -                   | 15 sending ask      | 15 waiting ask      | 15 unknown ask      | 15 expired ask      | 15 conflict ask     | -                  | -
found-review      | -                 | -                   | 15 sending ask      | 15 waiting ask      | 15 unknown ask      | 15 expired ask      | 15 conflict ask     | -                  | -
found-expired     | -                 | -                   | 15 sending ask      | 15 waiting ask      | 15 unknown ask      | 15 expired ask      | 15 conflict ask     | -                  | -
found-burnt       | -                 | -                   | 16 rejected stop    | 16 rejected stop    | 16 rejected stop    | 16 rejected stop    | 16 rejected stop    | -                  | -
`
  .trim()
  .split('\n')
  .map(line => line.split('|').map(cell => cell.trim()))
const [[, ...STATES] = [], ...ROWS] = MATRIX

type Case = [state: string, changes: object, event: string, eventChanges: object, cell: string]

const CELLS = ROWS.flatMap(([event = '', ...cells]) =>
  cells.map((cell, index): Case => [STATES[index] ?? '', {}, event, {}, cell]),
)

describe('transition, every event in every state', () => {
  it('is listed for all 9 states and for every event that the table knows', () => {
    expect(STATES).toEqual(['none', ...INTENT_STATES])
    const known = new Set(TRANSITIONS.flatMap(([, , on]) => on.split(' ')))
    expect(ROWS.map(([event]) => event).sort()).toEqual([...known].sort())
  })

  it.each(CELLS)('%s %o, %s %o: %s', (state, _, event, __, cell) => {
    const record = state === 'none' ? undefined : recordIn(state as IntentState)
    expect(apply(record, eventOf(event))).toBe(cell)
  })
})

const HELD = { holder: { tab: 'other', untilEpochMs: NOW + 1 } }
const LEFT = { holder: { tab: 'other', untilEpochMs: NOW } }
const LATE = { sendByEpochMs: NOW }
const CLEAN = { isUnresolved: false }
const OTHER = { fingerprint: 'other' }
const NO_MORE = { notBeforeEpochMs: undefined }
const OLD = { submittedAtEpochMs: NOW - 900_001 }
const CASES: Case[] = [
  // 0: a click after the success is answered, whatever it asks for
  ['succeeded', {}, 'submit', OTHER, '0 succeeded answer'],
  // 3: never sent, so nobody can have seen the key
  ['ready', {}, 'submit', OTHER, '3 ready* dispatch'],
  ['ready', HELD, 'submit', OTHER, '3 ready* dispatch'],
  ['ready', OLD, 'dispatch', {}, '3 ready needs-confirmation'],
  ['ready', { submittedAtEpochMs: NOW - 900_000 }, 'dispatch', {}, '2 sending send'],
  ['ready', {}, 'dispatch', { maxQueueAgeMs: 59_999 }, '3 ready needs-confirmation'],
  ['waiting', { ...OLD, ...CLEAN }, 'dispatch', {}, '3 waiting needs-confirmation'],
  ['waiting', OLD, 'dispatch', {}, '11 sending send'],
  // The window opens with the first attempt: a key that nobody has seen cannot be too old
  ['ready', LATE, 'dispatch', {}, '2 sending send'],
  // 12: somebody is at it
  ['ready', HELD, 'submit', {}, '12 ready join'],
  ['sending', HELD, 'submit', {}, '12 sending join'],
  ['waiting', HELD, 'submit', {}, '12 waiting join'],
  ['ready', LEFT, 'submit', {}, '12 ready dispatch'],
  ['sending', LEFT, 'submit', {}, '17 waiting dispatch'],
  ['sending', HELD, 'dispatch', {}, '12 sending join'],
  // 13: another payload while the first is unresolved
  ['sending', {}, 'submit', OTHER, '13 sending outcome-unknown'],
  ['waiting', {}, 'submit', OTHER, '13 waiting outcome-unknown'],
  ['waiting', CLEAN, 'submit', OTHER, '13 waiting outcome-unknown'],
  ['unknown', {}, 'submit', OTHER, '13 unknown outcome-unknown'],
  ['expired', {}, 'submit', OTHER, '13 expired outcome-unknown'],
  ['rejected', {}, 'submit', OTHER, '1 ready* dispatch'],
  ['ready', {}, 'dispatch', OTHER, '13 ready payload-changed'],
  ['waiting', {}, 'dispatch', OTHER, '13 waiting payload-changed'],
  ['unknown', {}, 'dispatch', OTHER, '13 unknown payload-changed'],
  // 11: not yet
  ['waiting', { notBeforeEpochMs: NOW + 1 }, 'dispatch', {}, '11 waiting wait'],
  ['waiting', { notBeforeEpochMs: NOW }, 'dispatch', {}, '11 sending send'],
  // 14: too late to send the key again
  ['waiting', LATE, 'submit', {}, '14 expired expired'],
  ['unknown', LATE, 'submit', {}, '14 expired expired'],
  ['waiting', LATE, 'dispatch', {}, '14 expired expired'],
  ['unknown', LATE, 'dispatch', {}, '14 expired expired'],
  ['waiting', { ...LATE, ...CLEAN }, 'submit', {}, '14 rejected stop'],
  ['waiting', { ...LATE, ...CLEAN }, 'dispatch', {}, '14 rejected stop'],
  ['sending', LATE, 'dispatch', {}, '17 waiting dispatch'],
  ['sending', LATE, 'budget-spent', {}, '14 expired ask'],
  ['waiting', LATE, 'cancel', {}, '14 expired ask'],
  ['sending', LATE, 'unknown', {}, '14 expired ask'],
  ['sending', LATE, 'in-progress', {}, '14 expired ask'],
  ['sending', LATE, 'not-processed', {}, '14 expired ask'],
  ['waiting', LATE, 'expire', {}, '14 expired ask'],
  ['unknown', LATE, 'expire', {}, '14 expired ask'],
  ['waiting', { ...LATE, ...CLEAN }, 'expire', {}, '14 rejected stop'],
  ['ready', LATE, 'expire', {}, '4 none stop'],
  ['sending', LATE, 'expire', {}, '-'],
  ['conflict', LATE, 'expire', {}, '-'],
  // 7, 8, 9: nobody tries again
  ['sending', {}, 'unknown', NO_MORE, '9 unknown ask'],
  ['sending', {}, 'in-progress', NO_MORE, '9 unknown ask'],
  ['sending', {}, 'not-processed', NO_MORE, '9 unknown ask'],
  ['sending', CLEAN, 'not-processed', NO_MORE, '7 rejected stop'],
  ['sending', CLEAN, 'unknown', NO_MORE, '9 unknown ask'],
  ['sending', CLEAN, 'in-progress', NO_MORE, '9 unknown ask'],
  ['sending', CLEAN, 'not-processed', { ...NO_MORE, waitReason: 'auth' }, '7 waiting wait'],
  ['waiting', CLEAN, 'budget-spent', {}, '14 rejected stop'],
  ['waiting', CLEAN, 'cancel', {}, '14 rejected stop'],
  ['sending', CLEAN, 'budget-spent', {}, '14 unknown ask'],
  // A late answer of an older attempt settles the key only where it is the key's own
  ['sending', {}, 'not-processed', { attempt: 1 }, '-'],
  ['sending', {}, 'unknown', { attempt: 1 }, '-'],
  ['sending', {}, 'in-progress', { attempt: 1 }, '-'],
  ['sending', {}, 'succeeded', { attempt: 1 }, '5 succeeded answer'],
  ['sending', {}, 'rejected', { attempt: 1 }, '6 rejected stop'],
  ['sending', {}, 'mismatch', { attempt: 1 }, '10 conflict ask'],
  // Memory ends a whole resend window after the settlement
  ['succeeded', { settledAtEpochMs: NOW - WINDOW_MS }, 'expire', {}, '1 none stop'],
  ['rejected', { settledAtEpochMs: NOW - WINDOW_MS }, 'expire', {}, '1 none stop'],
  ['succeeded', { settledAtEpochMs: NOW - WINDOW_MS + 1 }, 'expire', {}, '-'],
]

describe('transition, where a guard decides', () => {
  it.each(CASES)('%s %o, %s %o: %s', (state, changes, event, eventChanges, cell) => {
    expect(apply(recordIn(state as IntentState, changes), eventOf(event, eventChanges))).toBe(cell)
  })

  it('needs every row: with any one taken away, a case of this file comes out otherwise', () => {
    const rows = TRANSITIONS as unknown as unknown[]
    const results = () =>
      [...CELLS, ...CASES].map(([state, changes, event, eventChanges]) => {
        const record = state === 'none' ? undefined : recordIn(state as IntentState, changes)
        return JSON.stringify(transition(record, eventOf(event, eventChanges), () => 'key-2'))
      })
    const whole = results()
    const unneeded = [...rows].filter((row, index) => {
      rows.splice(index, 1)
      const isSame = results().every((result, at) => result === whole[at])
      rows.splice(index, 0, row)
      return isSame
    })
    expect(unneeded).toEqual([])
  })

  it.each([...INTENT_STATES])('18: refuses every event of another principal, %s', state => {
    for (const [event = ''] of ROWS) {
      expect(apply(recordIn(state), eventOf(event, { principal: 'bob' }))).toBe(
        `18 ${state} other-principal`,
      )
    }
  })

  it('18: refuses to mint for a principal who is not logged in', () => {
    expect(apply(undefined, eventOf('submit', { principal: 'bob' }))).toBe(
      '18 none other-principal',
    )
  })

  it.each([...INTENT_STATES])('ignores what is said of an older key, %s', state => {
    for (const [event = ''] of ROWS) {
      if (event === 'submit') continue
      expect(apply(recordIn(state), eventOf(event, { key: 'key-0' }))).toBe('-')
    }
  })
})
