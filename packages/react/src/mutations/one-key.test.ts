import { describe, expect, it } from 'vitest'
import { advance, installFakeTime } from '../testing-support/conversation.ts'
import { OFFLINE, PAID, startPayments } from '../testing-support/scripted-mutation.ts'

installFakeTime()

describe('a lost connection', () => {
  it('is tried again once, under the same key, after 500 ms or more', async () => {
    const { keys, record, sends, submit } = startPayments([OFFLINE, PAID])
    const paying = submit()
    await advance(10_000)
    expect(paying.data).toEqual({ receipt: 1 })
    expect(keys()).toHaveLength(1)
    expect(sends.map(({ atMs, attempt }) => [atMs, attempt])).toEqual([
      [0, 1],
      [750, 2],
    ])
    expect(await record()).toMatchObject({
      state: 'succeeded',
      key: keys()[0],
      dispatchCount: 2,
      result: { receipt: 1 },
    })
  })

  it('ends with its own error after the second attempt, and nobody knows whether it happened', async () => {
    const { events, record, sends, submit } = startPayments([OFFLINE])
    const paying = submit()
    await advance(600_000)
    expect(paying.error).toBe((OFFLINE as { fails: unknown }).fails)
    expect(sends).toHaveLength(2)
    expect(await record()).toMatchObject({ state: 'unknown', isUnresolved: true })
    expect(events.at(-1)).toMatchObject({ type: 'gave-up', stopReason: 'retries-exhausted' })
  })
})
