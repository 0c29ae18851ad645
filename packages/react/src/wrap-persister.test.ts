import { experimental_createQueryPersister } from '@tanstack/query-persist-client-core'
import { onlineManager } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import type { AttemptMiddleware } from './attempt-middleware.ts'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  advance,
  followScript,
  installFakeTime,
  startConversation,
  unavailable,
} from './testing-support/conversation.ts'

installFakeTime()

/** TanStack's own persister over a `Map`, wrapped by the preset. */
function startPersisted(options: RetryPresetOptions = {}) {
  const conversation = startConversation(options)
  const stored = new Map<string, string>()
  const { persisterFn } = experimental_createQueryPersister({
    storage: {
      getItem: key => stored.get(key),
      setItem: (key, value) => stored.set(key, value),
      removeItem: key => {
        stored.delete(key)
      },
    },
  })
  // It comes with a copy of TanStack's classes of its own, which the compiler tells apart.
  const persister = conversation.preset.wrapPersister(persisterFn as unknown as AttemptMiddleware)
  return { ...conversation, stored, persister }
}

describe('wrapPersister', () => {
  it("retries behind TanStack's persister, which stores the data once it is there", async () => {
    const { client, clock, persister, stored, eventTypes } = startPersisted()
    const { queryFn, sentAtMs } = followScript([unavailable, { answers: 'tea' }], clock.nowMs)
    client.prefetchQuery({ queryKey: ['cart'], queryFn, persister })
    await advance(10_000)
    expect(sentAtMs).toEqual([0, 600])
    expect(client.getQueryData(['cart'])).toBe('tea')
    expect([...stored.values()].map(text => JSON.parse(text).state.data)).toEqual(['tea'])
    expect(eventTypes().at(-1)).toBe('recovered')
  })

  it('restores what was stored without sending anything', async () => {
    const { client, persister, clock } = startPersisted()
    const { queryFn, sentAtMs } = followScript([{ answers: 'tea' }], clock.nowMs)
    const options = { queryKey: ['cart'], queryFn, persister, staleTime: Infinity }
    client.prefetchQuery(options)
    await advance(100)
    client.removeQueries()
    client.prefetchQuery(options)
    await advance(100)
    expect(client.getQueryData(['cart'])).toBe('tea')
    expect(sentAtMs).toEqual([0])
  })

  it('holds the deadline and the attempt timeout', async () => {
    const { client, clock, persister, stopReasons } = startPersisted({
      deadlineMs: 2_000,
      attemptTimeoutMs: 500,
    })
    const { queryFn, sentAtMs } = followScript(['hang'], clock.nowMs)
    client.prefetchQuery({ queryKey: ['cart'], queryFn, persister })
    await advance(60_000)
    // 500 ms, a wait of 600, 500 ms; the next wait of 1,100 does not fit.
    expect(sentAtMs).toEqual([0, 1_100])
    expect(stopReasons()).toEqual(['deadline'])
  })

  it("without a network waits for it, because the preset sets networkMode 'online'", async () => {
    const { client, persister, stored } = startPersisted()
    await store(stored)
    onlineManager.setOnline(false)
    client.prefetchQuery({ queryKey: ['cart'], queryFn: () => 'new', persister })
    await advance(1_000)
    expect(client.getQueryState(['cart'])).toMatchObject({ fetchStatus: 'paused', data: undefined })
  })

  it("without a network restores what was stored where the query says networkMode 'offlineFirst'", async () => {
    const { client, persister, stored } = startPersisted()
    await store(stored)
    onlineManager.setOnline(false)
    client.prefetchQuery({
      queryKey: ['cart'],
      queryFn: () => 'new',
      persister,
      networkMode: 'offlineFirst',
      staleTime: Infinity,
    })
    await advance(1_000)
    expect(client.getQueryData(['cart'])).toBe('stored')
  })

  it('a persister that is not wrapped leaves the policy without an operation: decisions, but no events and no deadline for the whole', async () => {
    const { client, clock, events } = startPersisted({ deadlineMs: 2_000 })
    const { queryFn, sentAtMs } = followScript([unavailable], clock.nowMs)
    client.prefetchQuery({
      queryKey: ['cart'],
      queryFn,
      persister: (run, context) => run(context),
    })
    await advance(60_000)
    // The third wait of 2,100 ms does not fit into 2,000 ms by itself.
    expect(sentAtMs).toEqual([0, 600, 1_700])
    expect(events).toEqual([])
  })
})

/** What an earlier visit left behind. */
async function store(stored: Map<string, string>): Promise<void> {
  const { client, persister, stored: earlier } = startPersisted()
  client.prefetchQuery({ queryKey: ['cart'], queryFn: () => 'stored', persister })
  await advance(100)
  for (const [key, value] of earlier) stored.set(key, value)
}
