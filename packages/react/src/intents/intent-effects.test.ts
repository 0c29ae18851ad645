import { describe, expect, it } from 'vitest'
import type { IntentEvent } from './intent-event.ts'
import { type IntentStep, transition } from './intent-machine.ts'
import type { IntentRecord } from './intent-record.ts'

const INTENT = { principal: 'ann', operation: 'pay', subject: ['order', 7] }
const DAY_MS = 86_400_000

/** One intent through a script, with a clock moved by hand. */
function conversation() {
  let record: IntentRecord | undefined
  let nowEpochMs = 1_000
  let minted = 0
  const steps: IntentStep[] = []
  const tell = (event: object) => {
    const moment = { nowEpochMs, principal: 'ann', key: record?.key, fingerprint: 'fp' }
    const change = transition(record, { ...moment, ...event } as IntentEvent, () => {
      minted++
      return `key-${minted}`
    })
    record = change.record
    steps.push(change.next)
    return record
  }
  const must = (event: object) => tell(event) ?? expect.unreachable('there is no record')
  return {
    steps,
    tell,
    wait: (ms: number) => {
      nowEpochMs += ms
    },
    submit: (more: object = {}) =>
      must({ type: 'submit', intent: INTENT, resendWindowMs: DAY_MS, ...more }),
    send: (more: object = {}) => must({ type: 'dispatch', ...more }),
    answer: (verdict: string, more: object = {}) =>
      must({ type: verdict, attempt: record?.dispatchCount, ...more }),
    minted: () => minted,
  }
}

describe('transition: what a record remembers', () => {
  it('mints a record without the variables: who, what, of which payload, under which key', () => {
    expect(conversation().submit()).toEqual({
      version: 1,
      id: '["ann","pay","order","7"]',
      principal: 'ann',
      operation: 'pay',
      subject: ['order', '7'],
      fingerprint: 'fp',
      key: 'key-1',
      state: 'ready',
      dispatchCount: 0,
      isUnresolved: false,
      createdAtEpochMs: 1_000,
      submittedAtEpochMs: 1_000,
      resendWindowMs: DAY_MS,
      sendByEpochMs: 1_000 + DAY_MS,
    })
  })

  it('opens the resend window with the first attempt, and not again with the second', () => {
    const { answer, send, submit, wait } = conversation()
    submit()
    wait(60_000)
    expect(send().sendByEpochMs).toBe(61_000 + DAY_MS)
    answer('unknown', { notBeforeEpochMs: 0 })
    wait(60_000)
    expect(send()).toMatchObject({ dispatchCount: 2, sendByEpochMs: 61_000 + DAY_MS })
  })

  it('restores the mark after a 429: the only attempt did nothing, so the key may go', () => {
    const { answer, send, submit } = conversation()
    submit()
    send()
    expect(answer('not-processed', { notBeforeEpochMs: 2_000 }).isUnresolved).toBe(false)
  })

  it('restores the mark after a lost answer and a 401: the first attempt is still unresolved', () => {
    const { answer, steps, send, submit, wait } = conversation()
    submit()
    send()
    answer('unknown', { notBeforeEpochMs: 2_000 })
    wait(1_000)
    send()
    expect(answer('not-processed', { notBeforeEpochMs: 0 })).toMatchObject({
      state: 'waiting',
      isUnresolved: true,
    })
    expect(send().key).toBe('key-1')
    expect(answer('not-processed')).toMatchObject({ state: 'unknown', isUnresolved: true })
    expect(steps.at(-1)).toBe('ask')
  })

  it.each(['unknown', 'in-progress'])(
    'marks an attempt that ended as %s as unresolved',
    verdict => {
      const { answer, send, submit } = conversation()
      submit()
      send()
      expect(answer(verdict, { notBeforeEpochMs: 9_000 })).toMatchObject({
        state: 'waiting',
        notBeforeEpochMs: 9_000,
        isUnresolved: true,
      })
    },
  )

  it.each(['budget-spent', 'dispatch'])(
    'marks the attempt under way as unresolved at %s: whoever sent it is gone',
    type => {
      const { send, submit, tell } = conversation()
      submit()
      send()
      expect(tell({ type })?.isUnresolved).toBe(true)
    },
  )

  it('forgets the wait when it moves on, so that it does not hold up what comes later', () => {
    const { answer, send, submit, wait } = conversation()
    submit()
    send()
    answer('unknown', { notBeforeEpochMs: 2_000 })
    wait(1_000)
    expect(send().notBeforeEpochMs).toBeUndefined()
  })

  it('keeps the result of a success for a later click, and makes no second key', () => {
    const { answer, minted, steps, send, submit } = conversation()
    submit()
    send()
    answer('unknown', { notBeforeEpochMs: 0, reason: 'network' })
    send()
    const paid = answer('succeeded', { result: { id: 'pay_1' } })
    expect(paid).toMatchObject({ state: 'succeeded', isUnresolved: false, settledAtEpochMs: 1_000 })
    expect(paid.reason).toBeUndefined()
    expect(submit()).toBe(paid)
    expect(send()).toBe(paid)
    expect(steps.at(-1)).toBe('answer')
    expect(paid.result).toEqual({ id: 'pay_1' })
    expect(minted()).toBe(1)
  })

  it('makes a second key for a second purchase, once the person has started over', () => {
    const { answer, send, submit, tell } = conversation()
    submit()
    send()
    answer('succeeded', { result: 1 })
    expect(submit({ fingerprint: 'other' })).toMatchObject({ key: 'key-1', fingerprint: 'fp' })
    expect(tell({ type: 'start-over' })).toBeUndefined()
    expect(submit().key).toBe('key-2')
  })

  it('renews the wish of a person who asks again, so that a stale one may be sent', () => {
    const { steps, send, submit, wait } = conversation()
    submit()
    wait(900_001)
    send()
    expect(steps.at(-1)).toBe('refuse')
    expect(submit().submittedAtEpochMs).toBe(901_001)
    send()
    expect(steps.at(-1)).toBe('send')
  })

  it('keeps when the person asked, where a submit comes later than that', () => {
    const { steps, send, submit, wait } = conversation()
    wait(900_001)
    expect(submit({ submittedAtEpochMs: 1_000 })).toMatchObject({
      createdAtEpochMs: 901_001,
      submittedAtEpochMs: 1_000,
    })
    send()
    expect(steps.at(-1)).toBe('refuse')
  })

  it('says that the result of a success is lost, where nobody has it', () => {
    const { answer, send, submit } = conversation()
    submit()
    send()
    expect(answer('succeeded', { isResultLost: true })).toMatchObject({
      state: 'succeeded',
      isResultLost: true,
    })
  })

  it('throws what the source of keys throws, and no record is made', () => {
    const broken = () => {
      throw new Error('no randomness')
    }
    const event = { type: 'submit', intent: INTENT, fingerprint: 'fp', resendWindowMs: 1 } as const
    expect(() =>
      transition(undefined, { ...event, nowEpochMs: 0, principal: 'ann' }, broken),
    ).toThrow('no randomness')
  })
})
