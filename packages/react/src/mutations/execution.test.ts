import { AttemptTimeoutError } from '@query-retry/core'
import { MutationObserver } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { createContract } from '../contracts/contract.ts'
import { ietfDraft } from '../contracts/ietf-draft.ts'
import { stripe } from '../contracts/stripe.ts'
import type { IntentRecord } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'
import { createMemoryJournal } from '../intents/memory-journal.ts'
import { advance, installFakeTime } from '../testing-support/conversation.ts'
import {
  OFFLINE,
  type Order,
  PAID,
  problem,
  startPayments,
} from '../testing-support/scripted-mutation.ts'
import {
  type IdempotentMutationContext,
  idempotentMutationOptions,
} from './idempotent-mutation-options.ts'

installFakeTime()

const ORDER: Order = { id: 'o1', amount: 12 }

describe('an attempt', () => {
  it('gets the key, in the form of the contract, its number, a signal and what TanStack gives', async () => {
    const { client, named } = startPayments([])
    const contexts: IdempotentMutationContext[] = []
    const mutationFn = async (_: Order, context: IdempotentMutationContext) => {
      contexts.push(context)
    }
    const options = { ...named, mutationFn, meta: { page: 'checkout' } }
    new MutationObserver(client, idempotentMutationOptions(options)).mutate(ORDER)
    await advance(0)
    const [context] = contexts
    expect(context).toMatchObject({ client, mutationKey: ['pay'], meta: { page: 'checkout' } })
    expect(context?.attempt).toBe(1)
    expect(context?.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/)
    expect(context?.headers).toEqual({ 'Idempotency-Key': `"${context?.idempotencyKey}"` })
    expect(context?.signal.aborted).toBe(false)
  })

  it('has the key in the form of another contract where there is one', async () => {
    const { sends, submit } = startPayments([PAID])
    submit(ORDER, { contract: stripe() })
    await advance(0)
    expect(sends[0]?.headers).toEqual({ 'Idempotency-Key': sends[0]?.key })
  })

  it('is on record before it is sent', async () => {
    const { journal, named, submit } = startPayments([])
    const onRecord: unknown[] = []
    const mutationFn = async () => {
      onRecord.push(...(await journal.list('ann')))
    }
    submit(ORDER, { ...named, mutationFn })
    await advance(0)
    expect(onRecord).toMatchObject([{ state: 'sending', dispatchCount: 1 }])
  })

  it('is not sent where it cannot be kept', async () => {
    const { journal, sends, submit } = startPayments([PAID])
    const full: Journal = { ...journal, update: () => Promise.reject(new Error('full')) }
    const paying = submit(ORDER, { journal: full })
    await advance(10_000)
    expect(sends).toEqual([])
    expect(paying.error).toMatchObject({ message: 'full' })
  })

  it.each([
    ['of its own', {}, 2_000],
    ["of the preset's", { mutations: { attemptTimeoutMs: 2_000 } }, undefined],
  ])('ends at a limit %s, aborted, as unknown', async (_, options, attemptTimeoutMs) => {
    const { record, sends, submit } = startPayments(['hang'], options)
    const paying = submit(ORDER, { attemptTimeoutMs })
    await advance(1_999)
    expect(sends[0]?.signal.aborted).toBe(false)
    await advance(60_000)
    expect(sends.map(({ atMs }) => atMs)).toEqual([0, 2_750])
    expect(sends[0]?.signal.reason).toBeInstanceOf(AttemptTimeoutError)
    expect(paying.error).toBeInstanceOf(AttemptTimeoutError)
    expect(await record()).toMatchObject({ state: 'unknown', reason: 'attempt-timeout' })
  })

  it('that threw undefined is rethrown as it is, once', async () => {
    const { sends, submit } = startPayments([{ fails: undefined }])
    const paying = submit()
    await advance(10_000)
    expect(paying).toMatchObject({ error: undefined })
    expect(paying.endedAtMs).toBe(0)
    expect(sends).toHaveLength(1)
  })
})

describe('what is on record before a callback of the user runs', () => {
  it.each([
    ['succeeded', PAID, 'onSuccess'],
    ['rejected', problem(402, 'payment-declined'), 'onError'],
    ['unknown', problem(503, 'outcome-unknown'), 'onError'],
  ])('%s', async (state, script, callback) => {
    const { record, submit } = startPayments([script])
    let seen: IntentRecord | undefined
    submit(ORDER, {
      [callback]: async () => {
        seen = await record()
      },
    })
    await advance(1_000)
    expect(seen?.state).toBe(state)
  })

  it('stays where `onSuccess` throws: the payment succeeded, and a second click sends nothing', async () => {
    const { record, sends, submit } = startPayments([PAID])
    const broken = new Error('broken page')
    const onSuccess = () => {
      throw broken
    }
    const paying = submit(ORDER, { onSuccess })
    await advance(10_000)
    expect(paying.error).toBe(broken)
    expect(await record()).toMatchObject({ state: 'succeeded' })
    const again = submit()
    await advance(10_000)
    expect(again.data).toEqual({ receipt: 1 })
    expect(sends).toHaveLength(1)
  })

  it('is not lost with a journal that fails after the answer: the answer counts, and the same key is sent next', async () => {
    const onError = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { journal, keys, submit } = startPayments([PAID])
    let updates = 0
    const flaky: Journal = {
      ...journal,
      update: (id, change) =>
        ++updates === 2 ? Promise.reject(new Error('closed')) : journal.update(id, change),
    }
    const paying = submit(ORDER, { journal: flaky })
    await advance(0)
    expect(paying.data).toEqual({ receipt: 1 })
    expect(onError).toHaveBeenCalledOnce()
    await advance(10_000)
    submit(ORDER, { journal: flaky })
    await advance(20_000)
    expect(keys()).toHaveLength(1)
  })

  it('takes a contract that throws for one that knows nothing', async () => {
    const onError = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { record, submit } = startPayments([{ fails: { status: 402 } }])
    const verdict = () => {
      throw new Error('broken contract')
    }
    const paying = submit(ORDER, { contract: createContract({ ...ietfDraft(), verdict }) })
    await advance(10_000)
    expect(paying.error).toEqual({ status: 402 })
    expect(await record()).toMatchObject({ state: 'unknown' })
    expect(onError).toHaveBeenCalledOnce()
  })

  it.each<[string, () => Promise<never>]>([
    ['rejects', () => Promise.reject(new Error('broken contract'))],
    ['gives nothing', async () => undefined as never],
  ])(
    'takes a contract of another make that %s for one that knows nothing, and is not waited for',
    async (_, verdict) => {
      vi.spyOn(console, 'error').mockImplementation(() => {})
      const { keys, record, stopReasons, submit } = startPayments([OFFLINE, PAID])
      const contract = { ...ietfDraft(), verdict }
      const paying = submit(ORDER, { contract })
      await advance(10_000)
      expect(paying.error).toBeInstanceOf(TypeError)
      expect(await record()).toMatchObject({ state: 'unknown', isUnresolved: true })
      expect(stopReasons()).toEqual(['not-retryable'])
      const again = submit(ORDER, { contract })
      await advance(10_000)
      expect(again.data).toEqual({ receipt: 1 })
      expect(keys()).toHaveLength(1)
    },
  )
})

describe('without `intent`', () => {
  const unnamed = { intent: undefined, principal: undefined, journal: undefined }

  it('a key covers the retries of one execution, and a second click is a second key', async () => {
    const { keys, sends, submit } = startPayments([OFFLINE, PAID])
    const first = submit(ORDER, unnamed)
    await advance(10_000)
    expect(first.data).toEqual({ receipt: 1 })
    expect(sends).toHaveLength(2)
    expect(keys()).toHaveLength(1)
    submit(ORDER, unnamed)
    await advance(10_000)
    expect(keys()).toHaveLength(2)
  })

  it('needs no mutation key, and writes to no journal', async () => {
    const { journal, submit } = startPayments([PAID])
    const paying = submit(ORDER, { ...unnamed, mutationKey: undefined })
    await advance(0)
    expect(paying.data).toEqual({ receipt: 1 })
    expect(await journal.list('ann')).toEqual([])
  })

  it('refuses variables that were written to', async () => {
    const { sends, submit } = startPayments([OFFLINE, PAID])
    const order = { ...ORDER }
    const paying = submit(order, unnamed)
    await advance(100)
    order.amount = 99
    await advance(10_000)
    expect(sends).toHaveLength(1)
    expect(paying.error).toMatchObject({ code: 'PAYLOAD_CHANGED' })
  })
})

describe('what names nothing, or cannot be told apart, is not sent', () => {
  it.each([
    ['no principal', { principal: '' }, 'INTENT_IDENTITY', 'principal'],
    ['no mutation key', { mutationKey: undefined }, 'INTENT_IDENTITY', 'operation'],
    ['an empty subject', { intent: () => [] }, 'INTENT_IDENTITY', 'subject'],
    [
      'a subject without its id',
      { intent: () => ['order', undefined] },
      'INTENT_IDENTITY',
      'subject',
    ],
  ])('%s', async (_, more, code, at) => {
    const { sends, submit } = startPayments([PAID])
    const paying = submit(ORDER, more)
    await advance(1_000)
    expect(paying.error).toMatchObject({ code, at })
    expect(sends).toEqual([])
  })

  it('variables that are not JSON, unless `fingerprint` tells them apart', async () => {
    const { keys, sends, submit } = startPayments([PAID])
    const order = { ...ORDER, photo: new Blob(['x']) }
    const refused = submit(order)
    await advance(1_000)
    expect(refused.error).toMatchObject({ code: 'FINGERPRINT', at: 'variables.photo' })
    expect(sends).toEqual([])
    const fingerprint = ({ id, amount }: Order) => `${id} ${amount}`
    const paying = submit(order, { fingerprint })
    await advance(1_000)
    expect(paying.data).toEqual({ receipt: 1 })
    expect(keys()).toHaveLength(1)
  })
})

describe('an option that is not accepted', () => {
  it.each([
    ['attemptTimeoutMs', 0],
    ['intent', ['order', 'o1']],
    ['contract', 'stripe'],
    ['contract', undefined],
    ['journal', undefined],
    ['lookUp', true],
  ])('is named in development: %s', (option, value) => {
    const { named } = startPayments([])
    expect(() => idempotentMutationOptions({ ...named, [option]: value })).toThrow(
      expect.objectContaining({ code: 'RETRY_OPTION', option, value }),
    )
  })

  it.each([
    ['resendWindowMs', Number.NaN],
    ['resendWindowMs', Infinity],
    ['resendWindowMs', undefined],
    ['headers', { 'Idempotency-Key': 'k1' }],
    ['verdict', undefined],
  ])('is named in development: %s of a contract, %o', (name, value) => {
    const { named } = startPayments([])
    const contract = { ...ietfDraft(), [name]: value } as never
    expect(() => idempotentMutationOptions({ ...named, contract })).toThrow(
      expect.objectContaining({ code: 'RETRY_OPTION', option: `contract.${name}` }),
    )
  })
})

describe('two purchases that are meant', () => {
  it('are two keys: another subject is another intent', async () => {
    const { keys, submit } = startPayments([PAID])
    submit({ id: 'o1', amount: 12 })
    submit({ id: 'o2', amount: 12 })
    await advance(1_000)
    expect(keys()).toHaveLength(2)
  })

  it('are two keys after a definite refusal: another card', async () => {
    const declined = problem(402, 'payment-declined')
    const { keys, submit } = startPayments([declined, PAID])
    const first = submit()
    await advance(1_000)
    expect(first.error).toBeDefined()
    const second = submit({ id: 'o1', amount: 11 })
    await advance(1_000)
    expect(second.data).toEqual({ receipt: 1 })
    expect(keys()).toHaveLength(2)
  })
})

describe('two journals', () => {
  it('do not know of each other', async () => {
    const { keys, submit } = startPayments([PAID])
    submit(ORDER, { journal: createMemoryJournal() })
    submit(ORDER, { journal: createMemoryJournal() })
    await advance(1_000)
    expect(keys()).toHaveLength(2)
  })
})
