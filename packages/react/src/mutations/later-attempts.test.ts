import {
  dehydrate,
  hydrate,
  MutationObserver,
  onlineManager,
  QueryClient,
} from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { ietfDraft } from '../contracts/ietf-draft.ts'
import { createDefaultJournal } from '../intents/default-journal.ts'
import type { IntentError } from '../intents/intent-error.ts'
import { browserTabs } from '../testing-support/browser-tabs.ts'
import { advance, installFakeTime } from '../testing-support/conversation.ts'
import { OFFLINE, type Order, PAID, startPayments } from '../testing-support/scripted-mutation.ts'
import { idempotentMutationOptions } from './idempotent-mutation-options.ts'

installFakeTime()

const ORDER: Order = { id: 'o1', amount: 12 }

describe('between two attempts', () => {
  it('a new closure changes nothing: key, payload and function are those of the first attempt', async () => {
    const { client, keys, named, sends } = startPayments([OFFLINE, PAID])
    const other = vi.fn()
    const observer = new MutationObserver(client, idempotentMutationOptions(named))
    observer.mutate(ORDER)
    await advance(100)
    // As a render does while the mutation is pending.
    observer.setOptions(
      idempotentMutationOptions({ ...named, mutationFn: other, principal: 'bob' }),
    )
    await advance(10_000)
    expect(other).not.toHaveBeenCalled()
    expect(sends).toHaveLength(2)
    expect(keys()).toHaveLength(1)
    expect(observer.getCurrentResult().data).toEqual({ receipt: 1 })
  })

  it('variables that were written to are refused: nothing is sent, and the first attempt stays unknown', async () => {
    const { record, sends, stopReasons, submit } = startPayments([OFFLINE, PAID])
    const order = { ...ORDER }
    const paying = submit(order)
    await advance(100)
    order.amount = 99
    await advance(10_000)
    expect(sends).toHaveLength(1)
    expect(paying.error).toMatchObject({ name: 'IntentError', code: 'PAYLOAD_CHANGED' })
    expect((paying.error as IntentError).cause).toBe((OFFLINE as { fails: unknown }).fails)
    expect(stopReasons()).toEqual(['payload-changed'])
    expect(await record()).toMatchObject({ state: 'unknown', isUnresolved: true })
  })

  it('variables that were made unfit to be told apart are refused as well, and whoever joined hears of it', async () => {
    const { record, sends, stopReasons, submit } = startPayments([OFFLINE, PAID])
    const order: Order & { onPaid?: () => void } = { ...ORDER }
    submit(order)
    const joined = submit(order)
    await advance(100)
    order.onPaid = () => {}
    await advance(10_000)
    expect(sends).toHaveLength(1)
    expect(stopReasons()).toEqual(['payload-changed'])
    expect(joined.error).toMatchObject({ code: 'FINGERPRINT', at: 'variables.onPaid' })
    expect(await record()).toMatchObject({ state: 'unknown' })
  })

  it('another login is refused: nothing is sent under it', async () => {
    const { journal, sends, submit } = startPayments([OFFLINE, PAID])
    let principal = 'ann'
    const paying = submit(ORDER, { principal: () => principal })
    await advance(100)
    principal = 'bob'
    await advance(10_000)
    expect(sends).toHaveLength(1)
    expect(paying.error).toMatchObject({ code: 'OTHER_PRINCIPAL' })
    expect(await journal.list('bob')).toEqual([])
    expect(await journal.list('ann')).toMatchObject([{ isUnresolved: true }])
  })

  it('a 401 keeps the key for when the same person has logged in', async () => {
    const { keys, record, sends, submit } = startPayments([
      OFFLINE,
      { fails: { status: 401 } },
      PAID,
    ])
    submit()
    await advance(10_000)
    expect(await record()).toMatchObject({ state: 'unknown', reason: 'http-401' })
    const again = submit()
    await advance(10_000)
    expect(again.data).toEqual({ receipt: 1 })
    expect(sends).toHaveLength(3)
    expect(keys()).toHaveLength(1)
  })

  it('time that ends the resend window ends the retries: nothing is sent past it', async () => {
    const { record, sends, stopReasons, submit } = startPayments([OFFLINE])
    submit(ORDER, { contract: ietfDraft({ resendWindowMs: 600 }) })
    await advance(10_000)
    expect(sends).toHaveLength(1)
    expect(stopReasons()).toEqual(['not-retryable'])
    expect(await record()).toMatchObject({ state: 'expired' })
  })
})

describe('`setMutationDefaults`', () => {
  it('leaves the retry of the preset, which the client has by default, where it was', async () => {
    const { client, keys, named, sends, stopReasons } = startPayments([OFFLINE, PAID])
    client.setMutationDefaults(['pay'], idempotentMutationOptions(named) as object)
    const observer = new MutationObserver<unknown, Error, Order>(client, { mutationKey: ['pay'] })
    observer.mutate(ORDER)
    await advance(10_000)
    expect(sends.map(({ atMs }) => atMs)).toEqual([0, 750])
    expect(keys()).toHaveLength(1)
    expect(observer.getCurrentResult().data).toEqual({ receipt: 1 })
    expect(stopReasons()).toEqual([])
  })

  it('with `retry: false` is a choice: nothing is sent again', async () => {
    const { client, sends, submit } = startPayments([OFFLINE, PAID])
    client.setMutationDefaults(['pay'], { retry: false })
    const paying = submit()
    await advance(10_000)
    expect(sends).toHaveLength(1)
    expect(paying.error).toBeInstanceOf(TypeError)
  })
})

describe('a mutation that was paused', () => {
  it('goes on after a reload under its key, by `setMutationDefaults` and `resumePausedMutations`', async () => {
    const browser = browserTabs()
    const page = () => createDefaultJournal({ globals: browser.openTab() })
    const { client, keys, named, preset, sends, submit } = startPayments([OFFLINE, PAID])
    submit(ORDER, { journal: page() })
    await advance(10)
    // In the wait, the connection is known to be gone: TanStack pauses.
    onlineManager.setOnline(false)
    await advance(2_000)
    const saved = JSON.parse(JSON.stringify(dehydrate(client)))
    client.clear()
    const reloaded = new QueryClient({ defaultOptions: preset.defaultOptions })
    reloaded.setMutationDefaults(['pay'], idempotentMutationOptions({ ...named, journal: page() }))
    hydrate(reloaded, saved)
    onlineManager.setOnline(true)
    reloaded.resumePausedMutations()
    await advance(1_000)
    expect(sends).toHaveLength(2)
    expect(keys()).toHaveLength(1)
    expect(reloaded.getMutationCache().getAll()[0]?.state.data).toEqual({ receipt: 1 })
    reloaded.clear()
  })

  it('sends nothing before it is online, and goes on then', async () => {
    const { record, sends, submit } = startPayments([PAID])
    onlineManager.setOnline(false)
    const paying = submit()
    await advance(60_000)
    expect(sends).toEqual([])
    expect(await record()).toBeUndefined()
    onlineManager.setOnline(true)
    await advance(1_000)
    expect(paying.data).toEqual({ receipt: 1 })
  })

  it('is not sent under another principal, who has logged in since the click', async () => {
    const { journal, keys, sends, submit } = startPayments([PAID])
    let principal = 'ann'
    onlineManager.setOnline(false)
    const paying = submit(ORDER, { principal: () => principal })
    await advance(1_000)
    principal = 'bob'
    onlineManager.setOnline(true)
    await advance(1_000)
    expect(sends).toEqual([])
    expect(paying.error).toMatchObject({ code: 'OTHER_PRINCIPAL' })
    expect(await journal.list('bob')).toEqual([])
    expect(keys()).toEqual([])
  })

  it('sends one request for two clicks that were made offline', async () => {
    const { sends, submit } = startPayments([PAID])
    onlineManager.setOnline(false)
    const clicks = [submit(), submit()]
    await advance(1_000)
    onlineManager.setOnline(true)
    await advance(1_000)
    expect(sends).toHaveLength(1)
    expect(clicks.map(({ data }) => data)).toEqual([{ receipt: 1 }, { receipt: 1 }])
  })

  it('asks the person again where they asked more than 15 minutes ago', async () => {
    const { sends, submit } = startPayments([PAID])
    onlineManager.setOnline(false)
    const paying = submit()
    await advance(900_001)
    onlineManager.setOnline(true)
    await advance(1_000)
    expect(sends).toEqual([])
    expect(paying.error).toMatchObject({ code: 'NEEDS_CONFIRMATION' })
    const again = submit()
    await advance(1_000)
    expect(again.data).toEqual({ receipt: 1 })
  })
})
