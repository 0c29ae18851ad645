import { describe, expect, it } from 'vitest'
import type { IntentEvent } from './intent-event.ts'
import { transition } from './intent-machine.ts'
import { type IntentRecord, type IntentState, intentId } from './intent-record.ts'
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

/** `state outcome`; `*` marks a new key, `-` an event that is out of place. */
function apply(record: IntentRecord | undefined, event: IntentEvent): string {
  const before = record && structuredClone(record)
  const { record: after, next, refusal } = transition(record, event, () => 'key-2')
  expect(record, 'the record that was given is not written to').toEqual(before)
  if (next === 'ignore') {
    expect(after).toBe(record)
    return '-'
  }
  if (after && record?.state === after.state && after.key === record.key && next !== 'send') {
    const { isUnresolved } = record
    expect(after.isUnresolved, 'a stay changes nothing but the wish').toBe(isUnresolved)
  }
  const mark = after?.key === 'key-2' ? '*' : ''
  return `${after?.state ?? 'none'}${mark} ${refusal ?? next}`
}

// Every event in every state: same payload, in the window, from the latest attempt, with an earlier
// attempt unresolved, and the caller willing to try again.
const MATRIX = `
event             | none            | ready           | sending                 | waiting                 | unknown                 | expired                 | conflict                 | succeeded        | rejected
submit            | ready* dispatch | ready* dispatch | sending dispatch        | waiting dispatch        | unknown dispatch        | -                       | -                        | -                | ready* dispatch
dispatch          | none no-intent  | sending send    | sending send            | sending send            | sending send            | expired expired         | conflict conflict        | succeeded answer | rejected stop
succeeded         | -               | -               | succeeded answer        | succeeded answer        | succeeded answer        | succeeded answer        | succeeded answer         | -                | -
rejected          | -               | -               | rejected stop           | rejected stop           | rejected stop           | rejected stop           | rejected stop            | -                | -
in-progress       | -               | -               | waiting wait            | -                       | -                       | -                       | -                        | -                | -
mismatch          | -               | -               | conflict ask            | conflict ask            | conflict ask            | conflict ask            | -                        | -                | -
not-processed     | -               | -               | waiting wait            | -                       | -                       | -                       | -                        | -                | -
unknown           | -               | -               | waiting wait            | -                       | -                       | -                       | -                        | -                | -
budget-spent      | -               | -               | unknown ask             | unknown ask             | -                       | -                       | -                        | -                | -
start-over        | -               | none stop       | sending outcome-unknown | waiting outcome-unknown | unknown outcome-unknown | expired outcome-unknown | conflict outcome-unknown | none stop        | none stop
found-succeeded   | -               | -               | succeeded answer        | succeeded answer        | succeeded answer        | succeeded answer        | succeeded answer         | -                | -
found-rejected    | -               | -               | rejected stop           | rejected stop           | rejected stop           | rejected stop           | rejected stop            | -                | -
found-burnt       | -               | -               | rejected stop           | rejected stop           | rejected stop           | rejected stop           | rejected stop            | -                | -
found-running     | -               | -               | -                       | -                       | -                       | -                       | -                        | -                | -
found-waiting     | -               | -               | -                       | -                       | -                       | -                       | -                        | -                | -
found-not-found   | -               | -               | -                       | -                       | -                       | -                       | -                        | -                | -
found-review      | -               | -               | -                       | -                       | -                       | -                       | -                        | -                | -
found-expired     | -               | -               | -                       | -                       | -                       | -                       | -                        | -                | -
`
  .trim()
  .split('\n')
  .map(line => line.split('|').map(cell => cell.trim()))
const [[, ...STATES] = [], ...ROWS] = MATRIX

type Case = [state: string, changes: object, event: string, eventChanges: object, cell: string]

const CELLS = ROWS.flatMap(([event = '', ...cells]) =>
  cells.map((cell, index): Case => [STATES[index] ?? '', {}, event, {}, cell]),
)

const INTENT_STATES = STATES.slice(1) as IntentState[]

describe('transition, every event in every state', () => {
  it('is listed for all states and for every event that the table knows', () => {
    const words = (column: 0 | 1 | 3) => TRANSITIONS.flatMap(row => row[column].split(' '))
    expect(new Set(STATES)).toEqual(
      new Set([...words(0), ...words(3)].filter(word => word !== '=')),
    )
    const events = new Set(ROWS.map(([event]) => event))
    for (const event of words(1)) expect(events).toContain(event)
  })

  it.each(CELLS)('%s %o, %s %o: %s', (state, _, event, __, cell) => {
    const record = state === 'none' ? undefined : recordIn(state as IntentState)
    expect(apply(record, eventOf(event))).toBe(cell)
  })
})

const LATE = { sendByEpochMs: NOW }
const CLEAN = { isUnresolved: false }
const OTHER = { fingerprint: 'other' }
const NO_MORE = { notBeforeEpochMs: undefined }
const OLD = { submittedAtEpochMs: NOW - 900_001 }
const CASES: Case[] = [
  // 0: a click after the success is answered, whatever it asks for
  ['succeeded', {}, 'dispatch', OTHER, 'succeeded answer'],
  // 3: never sent, so nobody can have seen the key
  ['ready', {}, 'submit', OTHER, 'ready* dispatch'],
  ['ready', OLD, 'dispatch', {}, 'ready needs-confirmation'],
  ['ready', { submittedAtEpochMs: NOW - 900_000 }, 'dispatch', {}, 'sending send'],
  ['waiting', { ...OLD, ...CLEAN }, 'dispatch', {}, 'waiting needs-confirmation'],
  ['waiting', OLD, 'dispatch', {}, 'sending send'],
  // The window opens with the first attempt: a key that nobody has seen cannot be too old
  ['ready', LATE, 'dispatch', {}, 'sending send'],
  // 12: who asked before the refusal was there gets it too; who asks after it gets a new key
  ['rejected', {}, 'submit', { submittedAtEpochMs: NOW - 1_001 }, 'rejected stop'],
  ['rejected', {}, 'submit', { submittedAtEpochMs: NOW - 1_000 }, 'ready* dispatch'],
  ['rejected', {}, 'submit', { ...OTHER, submittedAtEpochMs: NOW - 1_001 }, 'rejected stop'],
  // 13: another payload while the first is unresolved
  ['sending', {}, 'submit', OTHER, 'sending outcome-unknown'],
  ['waiting', {}, 'submit', OTHER, 'waiting outcome-unknown'],
  ['waiting', CLEAN, 'submit', OTHER, 'waiting outcome-unknown'],
  ['unknown', {}, 'submit', OTHER, 'unknown outcome-unknown'],
  ['expired', {}, 'submit', OTHER, 'expired outcome-unknown'],
  ['rejected', {}, 'submit', OTHER, 'ready* dispatch'],
  ['ready', {}, 'dispatch', OTHER, 'ready payload-changed'],
  ['sending', {}, 'dispatch', OTHER, 'sending payload-changed'],
  ['waiting', {}, 'dispatch', OTHER, 'waiting payload-changed'],
  ['unknown', {}, 'dispatch', OTHER, 'unknown payload-changed'],
  // 11: not yet
  ['waiting', { notBeforeEpochMs: NOW + 1 }, 'dispatch', {}, 'waiting wait'],
  ['waiting', { notBeforeEpochMs: NOW }, 'dispatch', {}, 'sending send'],
  // 14: too late to send the key again
  ['sending', LATE, 'dispatch', {}, 'expired expired'],
  ['sending', { ...LATE, ...CLEAN }, 'dispatch', {}, 'expired expired'],
  ['waiting', LATE, 'submit', {}, 'waiting dispatch'],
  ['waiting', LATE, 'dispatch', {}, 'expired expired'],
  ['unknown', LATE, 'dispatch', {}, 'expired expired'],
  ['waiting', { ...LATE, ...CLEAN }, 'submit', {}, 'ready* dispatch'],
  ['waiting', { ...LATE, ...CLEAN }, 'dispatch', {}, 'rejected stop'],
  ['sending', LATE, 'budget-spent', {}, 'expired ask'],
  ['waiting', LATE, 'budget-spent', {}, 'expired ask'],
  ['sending', LATE, 'unknown', {}, 'expired ask'],
  ['sending', LATE, 'in-progress', {}, 'expired ask'],
  ['sending', LATE, 'not-processed', {}, 'expired ask'],
  // 7, 8, 9: nobody tries again
  ['sending', {}, 'unknown', NO_MORE, 'unknown ask'],
  ['sending', {}, 'in-progress', NO_MORE, 'unknown ask'],
  ['sending', {}, 'not-processed', NO_MORE, 'unknown ask'],
  ['sending', CLEAN, 'not-processed', NO_MORE, 'rejected stop'],
  ['sending', CLEAN, 'unknown', NO_MORE, 'unknown ask'],
  ['sending', CLEAN, 'in-progress', NO_MORE, 'unknown ask'],
  ['waiting', CLEAN, 'budget-spent', {}, 'rejected stop'],
  ['sending', CLEAN, 'budget-spent', {}, 'unknown ask'],
  // A late answer of an older attempt settles the key only where it is the key's own
  ['sending', {}, 'not-processed', { attempt: 1 }, '-'],
  ['sending', {}, 'unknown', { attempt: 1 }, '-'],
  ['sending', {}, 'in-progress', { attempt: 1 }, '-'],
  ['sending', {}, 'succeeded', { attempt: 1 }, 'succeeded answer'],
  ['sending', {}, 'rejected', { attempt: 1 }, 'rejected stop'],
  ['sending', {}, 'mismatch', { attempt: 1 }, 'conflict ask'],
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
        `${state} other-principal`,
      )
    }
  })

  it('18: refuses to mint for a principal who is not logged in', () => {
    expect(apply(undefined, eventOf('submit', { principal: 'bob' }))).toBe('none other-principal')
  })

  it.each([...INTENT_STATES])('ignores what is said of an older key, %s', state => {
    for (const [event = ''] of ROWS) {
      if (event === 'submit') continue
      expect(apply(recordIn(state), eventOf(event, { key: 'key-0' }))).toBe('-')
    }
  })
})
