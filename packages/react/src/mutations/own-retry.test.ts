import { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { advance, installFakeTime, startConversation } from '../testing-support/conversation.ts'
import { OFFLINE, PAID, startPayments } from '../testing-support/scripted-mutation.ts'

installFakeTime()
let warn = vi.spyOn(console, 'warn')
beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
})
const warnings = () => warn.mock.calls.map(([text]) => String(text))
const ORDER = { id: 'o1', amount: 12 }

describe('a mutation under a key with a `retry` of its own', () => {
  it.each([
    ['false', false],
    ['0', 0],
    ['a function that says no', () => false],
  ])('%s, is unknown after its failure, and does not wait for ever', async (_, retry) => {
    const { record, sends, stopReasons, submit } = startPayments([OFFLINE])
    const paying = submit(ORDER, { retry })
    await advance(1)
    expect(paying.error).toBeInstanceOf(TypeError)
    expect(sends).toHaveLength(1)
    expect(await record()).toMatchObject({ state: 'unknown', isUnresolved: true })
    expect(stopReasons()).toEqual(['disabled'])
  })

  it('3, sends the same key each time', async () => {
    const { keys, record, sends, submit } = startPayments([OFFLINE])
    submit(ORDER, { retry: 3, retryDelay: 1_000 })
    await advance(10_000)
    expect(sends).toHaveLength(4)
    expect(keys()).toHaveLength(1)
    expect(await record()).toMatchObject({ state: 'unknown', dispatchCount: 4 })
  })

  it('3 without a `retryDelay` waits as TanStack does, and not for nothing', async () => {
    const { sends, submit } = startPayments([OFFLINE])
    submit(ORDER, { retry: 3 })
    await advance(60_000)
    expect(sends.map(({ atMs }) => atMs)).toEqual([0, 1_000, 3_000, 7_000])
  })

  it('is none where only the delay is its own: the guard says whether', async () => {
    const { sends, submit } = startPayments([OFFLINE])
    submit(ORDER, { retryDelay: 2_000 })
    await advance(60_000)
    expect(sends.map(({ atMs }) => atMs)).toEqual([0, 2_000])
  })

  it('that is the guard of a preset is none: the guard decides', async () => {
    const { preset, sends, submit } = startPayments([OFFLINE, PAID])
    const paying = submit(ORDER, preset.mutations)
    await advance(10_000)
    expect(sends.map(({ atMs }) => atMs)).toEqual([0, 750])
    expect(paying.data).toEqual({ receipt: 1 })
    expect(warnings()).toEqual([])
  })

  it('warns in development, once, naming the mutation and what to do', async () => {
    const { submit } = startPayments([OFFLINE])
    for (const id of ['o1', 'o2']) {
      submit({ id, amount: 1 }, { mutationKey: ['pay once'], retry: 2, retryDelay: 100 })
      await advance(10_000)
    }
    expect(warnings()).toHaveLength(1)
    expect(warnings()[0]).toContain('["pay once"]')
    expect(warnings()[0]).toContain('`retry` of its own (2)')
    expect(warnings()[0]).toContain('createRetryPreset')
  })

  it('hands its end to whoever has joined, while a slow `onError` keeps it pending', async () => {
    const { record, submit } = startPayments([OFFLINE])
    const onError = () => new Promise(resolve => setTimeout(resolve, 5_000))
    const own = { retry: () => false, onError }
    submit(ORDER, own)
    const second = submit(ORDER, own)
    await advance(10)
    expect(await record()).toMatchObject({ state: 'unknown' })
    await advance(10_000)
    expect(second.error).toBeInstanceOf(TypeError)
  })

  it('`false` is a choice, and does not warn', async () => {
    const { submit } = startPayments([OFFLINE])
    submit(ORDER, { mutationKey: ['pay never'], retry: false })
    await advance(10_000)
    expect(warnings()).toEqual([])
  })

  it('hands its end to whoever has joined', async () => {
    const { submit } = startPayments([OFFLINE])
    submit(ORDER, { retry: false })
    const second = submit(ORDER, { retry: false })
    await advance(100)
    expect(second.error).toBeInstanceOf(TypeError)
  })
})

describe('a plain mutation that throws the very error of one under a key', () => {
  it('gets no retry that was granted to the other, whoever is asked first', async () => {
    for (let turns = 0; turns < 30; turns++) {
      const { client, sends, submit } = startPayments([OFFLINE, PAID])
      submit()
      let plainSends = 0
      client
        .getMutationCache()
        .build(client, {
          mutationFn: async () => {
            plainSends++
            for (let turn = 0; turn < turns; turn++) await undefined
            throw (OFFLINE as { fails: unknown }).fails
          },
        })
        .execute(undefined)
        .catch(() => {})
      await advance(10_000)
      expect([plainSends, sends.length]).toEqual([1, 2])
    }
  })
})

describe('a client without the preset', () => {
  it('sends under a key, retries nothing, and knows what it does not know', async () => {
    const { record, sends, submit } = startPayments([OFFLINE, PAID])
    const plain = new QueryClient()
    submit(ORDER, {}, plain)
    await advance(60_000)
    expect(sends).toHaveLength(1)
    expect(await record()).toMatchObject({ state: 'unknown' })
    submit(ORDER, {}, plain)
    await advance(0)
    expect(sends[1]?.key).toBe(sends[0]?.key)
    plain.clear()
  })
})

describe('a plain mutation, in development', () => {
  /** The client is known to the preset by its first query. */
  async function run(options: object, times = 1) {
    const { client } = startConversation()
    client.prefetchQuery({ queryKey: ['cart'], queryFn: () => 'tea' })
    await advance(0)
    for (let i = 0; i < times; i++) {
      const mutation = client.getMutationCache().build(client, {
        mutationFn: () => Promise.reject({ status: 504 }),
        ...options,
      })
      mutation.execute(undefined).catch(() => {})
      await advance(10_000)
    }
    return warnings()
  }

  it('that was not retried for want of a key warns once, naming it and what to do', async () => {
    const texts = await run({ mutationKey: ['save draft'] }, 3)
    expect(texts).toHaveLength(1)
    expect(texts[0]).toContain('Mutation ["save draft"] failed (http-504) and was not sent again')
    expect(texts[0]).toContain('idempotentMutationOptions')
  })

  it.each([[{ status: 503 }], [{ status: 404 }]])(
    'does not warn where it would not have been retried: %o',
    async error => {
      expect(await run({ mutationFn: () => Promise.reject(error) })).toEqual([])
    },
  )

  it('warns where a `retry` of its own repeats it without a key', async () => {
    const [text] = await run({ mutationKey: ['repeat'], retry: 1, retryDelay: 10 })
    expect(text).toContain('Mutation ["repeat"] is retried by a `retry` of its own')
    expect(text).toContain('idempotentMutationOptions')
  })

  it('with a `retry` of its own waits as TanStack does', async () => {
    const { client, clock } = startConversation()
    const sentAtMs: number[] = []
    const mutationFn = () => {
      sentAtMs.push(clock.nowMs())
      return Promise.reject({ status: 404 })
    }
    const mutation = client.getMutationCache().build(client, { mutationFn, retry: 2 })
    mutation.execute(undefined).catch(() => {})
    await advance(10_000)
    expect(sentAtMs).toEqual([0, 1_000, 3_000])
  })

  it('says nothing in production', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    expect(await run({ mutationKey: ['production'] })).toEqual([])
  })
})
