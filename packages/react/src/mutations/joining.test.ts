import { CancelledError, onlineManager, QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { createDefaultJournal } from '../intents/default-journal.ts'
import { intentId } from '../intents/intent-record.ts'
import { browserTabs } from '../testing-support/browser-tabs.ts'
import { advance, installFakeTime, type Script } from '../testing-support/conversation.ts'
import { OFFLINE, PAID, problem, startPayments } from '../testing-support/scripted-mutation.ts'
import { nameIntent } from './intent-names.ts'

installFakeTime()

const SLOW: Script = { answers: { receipt: 1 }, afterMs: 3_000 }
const DECLINED: Script = {
  ...(problem(402, 'payment-declined') as object),
  afterMs: 3_000,
} as Script
const OTHER = { id: 'o1', amount: 99 }

describe('a second submit of the same in one page', () => {
  it.each([0, 100])('%i ms later joins: one request, and both get its result', async laterMs => {
    const { sends, submit } = startPayments([SLOW])
    const first = submit()
    if (laterMs) await advance(laterMs)
    const second = submit()
    await advance(10_000)
    expect(sends).toHaveLength(1)
    expect(first.data).toEqual({ receipt: 1 })
    expect(second.data).toBe(first.data)
  })

  it('gets the same error, and no retry of its own', async () => {
    const { events, sends, submit } = startPayments([DECLINED])
    const first = submit()
    const second = submit()
    await advance(60_000)
    expect(sends).toHaveLength(1)
    expect(first.error).toBeDefined()
    expect(second.error).toBe(first.error)
    expect(events.map(({ type }) => type)).toEqual(['attempt-failed', 'gave-up'])
  })

  it('joins during the wait for a retry', async () => {
    const { keys, sends, submit } = startPayments([OFFLINE, PAID])
    const first = submit()
    await advance(300)
    const second = submit()
    await advance(10_000)
    expect(sends).toHaveLength(2)
    expect(keys()).toHaveLength(1)
    expect([first.data, second.data]).toEqual([{ receipt: 1 }, { receipt: 1 }])
  })

  it('gets the last error where the retry fails as well', async () => {
    const { sends, submit } = startPayments([OFFLINE])
    const first = submit()
    const second = submit()
    await advance(10_000)
    expect(sends).toHaveLength(2)
    expect(first.error).toBeInstanceOf(TypeError)
    expect(second.error).toBe(first.error)
    expect(second.endedAtMs).toBe(first.endedAtMs)
  })

  it('after its success gets the stored result', async () => {
    const { sends, submit } = startPayments([PAID])
    submit()
    await advance(60_000)
    const second = submit()
    await advance(0)
    expect(second.data).toEqual({ receipt: 1 })
    expect(sends).toHaveLength(1)
  })

  it('after a lost answer sends the same key again', async () => {
    const { keys, record, sends, submit } = startPayments([OFFLINE, OFFLINE, PAID])
    submit()
    await advance(60_000)
    expect((await record())?.state).toBe('unknown')
    const again = submit()
    await advance(0)
    expect(again.data).toEqual({ receipt: 1 })
    expect(sends).toHaveLength(3)
    expect(keys()).toHaveLength(1)
  })
})

describe('a mutation that is cleared from its cache while it is paused', () => {
  it('is not waited for: the next submit sends the same key', async () => {
    const { client, keys, sends, submit } = startPayments([OFFLINE, PAID])
    submit()
    await advance(10)
    onlineManager.setOnline(false)
    await advance(2_000)
    // As an app does at a logout.
    client.clear()
    onlineManager.setOnline(true)
    const again = submit()
    await advance(100)
    expect(again.data).toEqual({ receipt: 1 })
    expect(sends).toHaveLength(2)
    expect(keys()).toHaveLength(1)
  })
})

describe('a mutation that is cleared from its cache while it is under way', () => {
  it('ends for whoever has joined from another client in an error, and not in nothing', async () => {
    const { client, keys, preset, submit } = startPayments([SLOW])
    const other = new QueryClient({ defaultOptions: preset.defaultOptions })
    submit()
    const joined = submit(undefined, {}, other)
    await advance(100)
    client.clear()
    await advance(100)
    expect(joined.error).toBeInstanceOf(CancelledError)
    // It may have happened: the same again is the same key.
    const again = submit(undefined, {}, other)
    await advance(10_000)
    expect(again.data).toEqual({ receipt: 1 })
    expect(keys()).toHaveLength(1)
    other.clear()
  })
})

describe('a journal whose `claim` throws', () => {
  it('is met as one that has none: nobody is waited for, not even by the next submit', async () => {
    const { journal, sends, submit } = startPayments([PAID])
    const claim = () => {
      throw new Error('not here')
    }
    const first = submit(undefined, { journal: { ...journal, claim } })
    await advance(0)
    expect(first.data).toEqual({ receipt: 1 })
    const rejecting = { ...journal, claim: () => Promise.reject(new Error('not here')) }
    const second = submit(undefined, { journal: rejecting })
    await advance(0)
    expect(second.data).toEqual({ receipt: 1 })
    expect(sends).toHaveLength(1)
  })
})

describe('a submit with another payload', () => {
  it.each<[string, Script[], number, string]>([
    ['while the first is under way', [SLOW], 100, 'OUTCOME_UNKNOWN'],
    ['while the first waits for its retry', [OFFLINE], 300, 'OUTCOME_UNKNOWN'],
    ['while nobody knows of the first', [OFFLINE], 60_000, 'OUTCOME_UNKNOWN'],
    ['after the first has succeeded', [PAID], 60_000, 'OTHER_SUCCEEDED'],
    [
      'after another payload was found under the key',
      [problem(422, 'key-mismatch')],
      100,
      'CONFLICT',
    ],
  ])('%s is refused, and says what to do', async (_, scripts, laterMs, code) => {
    const { keys, submit } = startPayments(scripts)
    submit()
    await advance(laterMs)
    const second = submit(OTHER)
    await advance(0)
    expect(second.error).toMatchObject({ name: 'IntentError', code })
    expect((second.error as Error).message).toMatch(/startOver|resolve\(\)/)
    await advance(60_000)
    expect(keys()).toHaveLength(1)
  })

  it('past the resend window is refused: it can only be looked up or fenced', async () => {
    const { sends, submit } = startPayments([OFFLINE])
    submit()
    await advance(400_000)
    const again = submit()
    await advance(0)
    expect(again.error).toMatchObject({ code: 'EXPIRED' })
    expect(sends).toHaveLength(2)
  })
})

describe('what was paid under another key', () => {
  it('is told to a later submit as done, without a result', async () => {
    const { sends, submit } = startPayments([problem(409, 'order-already-paid')])
    const first = submit()
    await advance(1_000)
    expect(first.error).toMatchObject({ status: 409 })
    const again = submit()
    await advance(1_000)
    expect(again.error).toMatchObject({ code: 'RESULT_LOST' })
    expect(sends).toHaveLength(1)
  })
})

describe('two tabs', () => {
  /** The same person in two tabs of one browser. */
  function openTwoTabs(scripts: Script[]) {
    const browser = browserTabs()
    const firstTab = browser.openTab()
    const first = createDefaultJournal({ globals: firstTab })
    const second = createDefaultJournal({ globals: browser.openTab() })
    const payments = startPayments(scripts)
    return {
      ...payments,
      inFirst: () => payments.submit(undefined, { journal: first }),
      inSecond: () => payments.submit(undefined, { journal: second }),
      record: async () => (await first.list('ann'))[0],
      closeFirst: firstTab.close,
    }
  }

  it.each([0, 10])(
    'that pay within %i ms send one request, and both get its result',
    async laterMs => {
      const { inFirst, inSecond, sends } = openTwoTabs([SLOW])
      const first = inFirst()
      await advance(laterMs)
      const second = inSecond()
      await advance(20_000)
      expect(sends).toHaveLength(1)
      expect(first.data).toEqual({ receipt: 1 })
      expect(second.data).toEqual({ receipt: 1 })
      // It went on when the first was through, and did not wait for longer.
      expect(second.endedAtMs).toBeLessThan(4_000)
    },
  )

  it('share a definite refusal: no second key comes of it', async () => {
    const { inFirst, inSecond, keys, sends } = openTwoTabs([DECLINED])
    inFirst()
    await advance(10)
    const second = inSecond()
    await advance(20_000)
    expect(sends).toHaveLength(1)
    expect(second.error).toMatchObject({ code: 'REJECTED' })
    expect(keys()).toHaveLength(1)
  })

  it('take over at once, under the same key, where one of them is gone', async () => {
    const { closeFirst, inFirst, inSecond, keys, sends } = openTwoTabs(['hang', PAID])
    inFirst()
    await advance(1_000)
    closeFirst()
    const second = inSecond()
    await advance(10)
    expect(sends).toHaveLength(2)
    expect(keys()).toHaveLength(1)
    expect(second.data).toEqual({ receipt: 1 })
  })

  it('go on after 10 s, under the same key, where one of them is there and never ends', async () => {
    const { inFirst, inSecond, keys, sends } = openTwoTabs(['hang', PAID])
    inFirst()
    await advance(1_000)
    const second = inSecond()
    await advance(9_900)
    expect(sends).toHaveLength(1)
    await advance(200)
    expect(sends).toHaveLength(2)
    expect(keys()).toHaveLength(1)
    expect(second.data).toEqual({ receipt: 1 })
  })

  it('go on where the first has given up: the second asks again under the same key', async () => {
    const lost: Script = { fails: { status: 503 }, afterMs: 1_000 }
    const { inFirst, inSecond, keys, sends } = openTwoTabs([lost, PAID])
    const first = inFirst()
    await advance(100)
    const second = inSecond()
    await advance(20_000)
    expect(first.error).toEqual({ status: 503 })
    expect(second.data).toEqual({ receipt: 1 })
    expect(sends).toHaveLength(2)
    expect(keys()).toHaveLength(1)
  })
})

describe('a wait that the server asked for', () => {
  it('holds after a reload as well', async () => {
    const { clock, journal, record, sends, submit } = startPayments([PAID])
    submit()
    await advance(0)
    const paid = await record()
    const waiting = {
      ...paid,
      state: 'waiting',
      notBeforeEpochMs: clock.epochMs() + 5_000,
      isUnresolved: true,
    } as const
    const id = intentId(nameIntent(['pay'], 'ann', ['order', 'o1']))
    await journal.update(id, () => ({ record: waiting as never }))
    submit()
    await advance(4_900)
    expect(sends).toHaveLength(1)
    await advance(200)
    expect(sends).toHaveLength(2)
  })

  it('is a minute at most: the clock that wrote it may have been wrong', async () => {
    const { clock, journal, record, sends, submit } = startPayments([OFFLINE, PAID], {
      mutations: { maxRetries: 0 },
    })
    submit()
    await advance(0)
    const before = await record()
    const notBeforeEpochMs = clock.epochMs() + 3_600_000
    const sendByEpochMs = notBeforeEpochMs + 300_000
    const waiting = { ...before, state: 'waiting', notBeforeEpochMs, sendByEpochMs } as const
    await journal.update(before?.id ?? '', () => ({ record: waiting as never }))
    const paying = submit()
    await advance(59_000)
    expect(sends).toHaveLength(1)
    await advance(2_000)
    expect(sends).toHaveLength(2)
    expect(paying.data).toEqual({ receipt: 1 })
  })
})
