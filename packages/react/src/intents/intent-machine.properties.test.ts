import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IntentEvent } from './intent-event.ts'
import { type Transition, transition } from './intent-machine.ts'
import { decodeIntent, type IntentRecord } from './intent-record.ts'

const INTENT = { principal: 'ann', operation: 'pay', subject: ['order', 'ord_1'] }
const WINDOW_MS = 10_000

/**
 * The events of two tabs, a person and a server, in any order and with any clock. `ofKey` says which
 * key they are about: one that exists, mostly the newest.
 */
const anyStep = fc.record({
  waitMs: fc.constantFrom(0, 0, 0, 1, 400, 3_000, WINDOW_MS),
  principal: fc.constantFrom('ann', 'ann', 'ann', 'ann', 'bob'),
  fingerprint: fc.constantFrom('a', 'a', 'a', 'b'),
  oldKey: fc.nat(7),
  oldAttempt: fc.nat(7),
  againMs: fc.option(fc.nat(2_000), { nil: undefined }),
  event: fc.constantFrom(
    ...['submit', 'submit', 'submit', 'dispatch', 'dispatch', 'dispatch', 'dispatch'],
    ...[
      'succeeded',
      'rejected',
      'in-progress',
      'mismatch',
      'not-processed',
      'not-processed',
      'unknown',
      'unknown',
    ],
    ...['budget-spent', 'start-over'],
    ...[
      'succeeded',
      'rejected',
      'burnt',
      'running',
      'waiting',
      'not-found',
      'review',
      'expired',
    ].map(found => `found-${found}`),
  ),
})
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

/** What settles a key whatever else was sent under it. */
const AUTHORITATIVE = /^(succeeded|rejected|found-(succeeded|rejected|burnt))$/

/** What a key may have done, told without the machine: by the sends and the answers alone. */
interface KeyHistory {
  fingerprint: string
  firstSentAtEpochMs?: number
  /** Attempts of which nobody has said that they did nothing. */
  open: Set<number>
  isSettled: boolean
  isSucceeded: boolean
}

/** Runs the steps; `check` sees each transition beside what is known of the keys from outside. */
function play(
  steps: Step[],
  check: (seen: {
    before?: IntentRecord
    event: IntentEvent
    change: Transition
    keys: Map<string, KeyHistory>
  }) => void,
): void {
  let record: IntentRecord | undefined
  let nowEpochMs = 1_000_000
  const keys = new Map<string, KeyHistory>()
  for (const step of steps) {
    nowEpochMs += step.waitMs
    const event = eventOf(step, nowEpochMs, record, [...keys.keys()])
    const before = record
    const change = transition(before, event, () => {
      const key = `key-${keys.size + 1}`
      const fingerprint = 'fingerprint' in event ? event.fingerprint : ''
      keys.set(key, { fingerprint, open: new Set(), isSettled: false, isSucceeded: false })
      return key
    })
    note(event, change, keys)
    check({ before, event, change, keys })
    // As it comes back from a journal.
    record = change.record && decodeIntent(change.record.id, JSON.stringify(change.record))
  }
}

function eventOf(step: Step, nowEpochMs: number, record: IntentRecord | undefined, keys: string[]) {
  const { event: type, oldKey, oldAttempt, againMs, waitMs: _, ...rest } = step
  const isOld = oldAttempt > 5
  return {
    ...rest,
    type,
    nowEpochMs,
    key: keys[keys.length - 1 - oldKey] ?? record?.key ?? keys.at(-1) ?? 'none',
    attempt: Math.max(1, (record?.dispatchCount ?? 0) - (isOld ? oldAttempt - 5 : 0)),
    result: { attempt: oldAttempt },
    ...(againMs !== undefined && { notBeforeEpochMs: nowEpochMs + againMs }),
    ...(type === 'submit' && { intent: INTENT, resendWindowMs: WINDOW_MS }),
  } as unknown as IntentEvent
}

/** Keeps the histories: who is sent, and what is said of whom by those who know. */
function note(
  event: IntentEvent,
  { record, next }: Transition,
  keys: Map<string, KeyHistory>,
): void {
  if (next === 'send' && record) {
    const history = keys.get(record.key)
    history?.open.add(record.dispatchCount)
    if (history) history.firstSentAtEpochMs ??= event.nowEpochMs
  }
  const history = 'key' in event && event.principal === 'ann' ? keys.get(event.key) : undefined
  // An answer can only come to what was sent.
  if (!history?.open.size && !history?.firstSentAtEpochMs) return
  if (AUTHORITATIVE.test(event.type)) {
    history.isSettled = true
    history.isSucceeded ||= event.type.endsWith('succeeded')
  }
  if (event.type === 'not-processed') history.open.delete(event.attempt)
}

const runs = { numRuns: 1_000 }
const steps = fc.array(anyStep, { minLength: 1, maxLength: 40, size: 'max' })

describe('transition, from any sequence of events', () => {
  it('never makes a second key while one that was sent is unsettled', () => {
    let rotations = 0
    fc.assert(
      fc.property(steps, events =>
        play(events, ({ change, keys }) => {
          const unsettled = [...keys.values()].filter(
            ({ isSettled, open }) => !isSettled && open.size,
          )
          expect(unsettled.length).toBeLessThanOrEqual(1)
          if (unsettled.length) expect(keys.get(change.record?.key ?? '')).toBe(unsettled[0])
          if (keys.size > 1) rotations++
        }),
      ),
      runs,
    )
    expect(rotations, 'the property has seen second keys').toBeGreaterThan(100)
  })

  it('says that it did not happen only where every attempt did nothing, or the key says so', () => {
    let rejections = 0
    fc.assert(
      fc.property(steps, events =>
        play(events, ({ before, change, keys }) => {
          if (change.record?.state !== 'rejected' || before?.state === 'rejected') return
          rejections++
          const { isSettled, open } = keys.get(change.record.key) ?? expect.unreachable()
          expect(isSettled || open.size === 0).toBe(true)
        }),
      ),
      runs,
    )
    expect(rejections).toBeGreaterThan(100)
  })

  it('never sends under another principal, and leaves the record alone while one is logged in', () => {
    fc.assert(
      fc.property(steps, events =>
        play(events, ({ before, change, event }) => {
          if (event.principal === 'ann' || !before) return
          expect(change.record).toBe(before)
          expect(change.next).toBe('refuse')
        }),
      ),
      runs,
    )
  })

  it('sends nothing past its resend window, before its time, or under a key for another payload', () => {
    let sends = 0
    fc.assert(
      fc.property(steps, events =>
        play(events, ({ before, change, event, keys }) => {
          if (change.next !== 'send') return
          sends++
          const {
            firstSentAtEpochMs = event.nowEpochMs,
            fingerprint,
            isSettled,
          } = keys.get(change.record?.key ?? '') ?? expect.unreachable()
          expect(event.nowEpochMs).toBeLessThan(firstSentAtEpochMs + WINDOW_MS)
          expect(event.nowEpochMs).toBeGreaterThanOrEqual(before?.notBeforeEpochMs ?? 0)
          expect('fingerprint' in event && event.fingerprint).toBe(fingerprint)
          expect(isSettled).toBe(false)
          expect(change.record?.state).toBe('sending')
          expect(change.record?.dispatchCount).toBe((before?.dispatchCount ?? 0) + 1)
        }),
      ),
      runs,
    )
    expect(sends).toBeGreaterThan(100)
  })

  it('counts an attempt as unresolved that another one was sent beside: its sender may be gone', () => {
    let overtakings = 0
    fc.assert(
      fc.property(steps, events =>
        play(events, ({ before, change }) => {
          if (change.next !== 'send' || before?.state !== 'sending') return
          overtakings++
          expect(change.record?.isUnresolved).toBe(true)
        }),
      ),
      runs,
    )
    expect(overtakings).toBeGreaterThan(20)
  })

  it('keeps a settled intent as it is, until the person starts over, or asks again after a refusal', () => {
    fc.assert(
      fc.property(steps, events =>
        play(events, ({ before, change, event }) => {
          if (before?.state === 'succeeded' && event.type !== 'start-over') {
            expect(change.record).toBe(before)
          }
          if (before?.state === 'rejected' && !['start-over', 'submit'].includes(event.type)) {
            expect(change.record).toBe(before)
          }
        }),
      ),
      runs,
    )
  })

  it('takes the key’s own success from wherever it comes, while anything is unsettled', () => {
    fc.assert(
      fc.property(steps, events =>
        play(events, ({ before, change, event }) => {
          const isUnsettled = before && !/ready|succeeded|rejected/.test(before.state)
          if (!isUnsettled || !event.type.endsWith('succeeded') || event.principal !== 'ann') return
          if ('key' in event && event.key === before.key)
            expect(change.record?.state).toBe('succeeded')
        }),
      ),
      runs,
    )
  })

  it('changes nothing where it says that it ignores an event', () => {
    fc.assert(
      fc.property(steps, events =>
        play(events, ({ before, change }) => {
          if (change.next === 'ignore') expect(change.record).toBe(before)
        }),
      ),
      runs,
    )
  })
})
