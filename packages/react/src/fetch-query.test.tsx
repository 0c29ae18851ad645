import { type FetchQueryOptions, useQuery } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import {
  advance,
  followScript,
  installFakeTime,
  type Script,
  startConversation,
  unavailable,
} from './testing-support/conversation.ts'
import { advanceRendered, renderHookWithClient } from './testing-support/render-with-client.tsx'

installFakeTime()

describe("the client's own methods", () => {
  it.each(['fetchQuery', 'prefetchQuery', 'ensureQueryData'] as const)(
    '%s retries as the preset says, which TanStack does not do by default',
    async method => {
      const { client, clock } = startConversation()
      const { queryFn, sentAtMs } = followScript([unavailable, { answers: 'tea' }], clock.nowMs)
      const send: (options: FetchQueryOptions) => Promise<unknown> = client[method].bind(client)
      send({ queryKey: ['cart'], queryFn })
      await advance(10_000)
      expect(sentAtMs).toEqual([0, 600])
      expect(client.getQueryData(['cart'])).toBe('tea')
    },
  )

  it('`fetchQuery({ retry: false })` sends once', async () => {
    const { client } = startConversation()
    const { queryFn, sentAtMs } = followScript([unavailable])
    const fetched = client.fetchQuery({ queryKey: ['cart'], queryFn, retry: false })
    fetched.catch(() => {})
    await advance(60_000)
    await expect(fetched).rejects.toEqual({ status: 503 })
    expect(sentAtMs).toHaveLength(1)
  })

  it('a shared error does not let `retry: false` take the retries of another query', async () => {
    const { client, fetch } = startConversation()
    const shared = { status: 503 }
    const queryFn = () => Promise.reject(shared)
    client.fetchQuery({ queryKey: ['once'], queryFn, retry: false }).catch(() => {})
    const ending = fetch([{ fails: shared }])
    await advance(60_000)
    expect(ending.sentAtMs).toHaveLength(5)
  })
})

describe('cancelRefetch', () => {
  it('during the wait starts an operation with all its attempts and its own deadline', async () => {
    const { client, clock, stopReasons } = startConversation({ deadlineMs: 2_000 })
    const { queryFn, sentAtMs } = followScript([unavailable], clock.nowMs)
    client.setQueryData(['cart'], 'old')
    client.prefetchQuery({ queryKey: ['cart'], queryFn, staleTime: 0 })
    await advance(1_000)
    client.refetchQueries({ queryKey: ['cart'] })
    await advance(60_000)
    expect(sentAtMs).toEqual([0, 600, 1_000, 1_600, 2_700])
    expect(stopReasons()).toEqual(['cancelled', 'deadline'])
  })

  it('during an attempt that ignores `signal`: its late failure belongs to nobody', async () => {
    const { client, clock, events } = startConversation()
    const slowFailure: Script = { fails: { status: 503 }, afterMs: 500 }
    const scripts: Script[] = [slowFailure, { answers: 'new', afterMs: 1_000 }]
    const { queryFn, sentAtMs } = followScript(scripts, clock.nowMs)
    client.setQueryData(['cart'], 'old')
    client.prefetchQuery({ queryKey: ['cart'], queryFn, staleTime: 0 })
    await advance(100)
    client.refetchQueries({ queryKey: ['cart'] })
    await advance(60_000)
    expect(sentAtMs).toEqual([0, 100])
    expect(client.getQueryData(['cart'])).toBe('new')
    expect(events).toEqual([])
  })

  it('during a retry that ignores `signal`: its late answer is no recovery', async () => {
    const { client, clock, eventTypes } = startConversation()
    const scripts: Script[] = [unavailable, { answers: 'late', afterMs: 500 }, { answers: 'new' }]
    const { queryFn } = followScript(scripts, clock.nowMs)
    client.setQueryData(['cart'], 'old')
    client.prefetchQuery({ queryKey: ['cart'], queryFn, staleTime: 0 })
    await advance(700)
    client.refetchQueries({ queryKey: ['cart'] })
    await advance(60_000)
    expect(client.getQueryData(['cart'])).toBe('new')
    expect(eventTypes()).toEqual(['attempt-failed', 'retry-scheduled', 'retry-started', 'gave-up'])
  })

  it('of an observer shows the new data', async () => {
    const { client } = startConversation()
    const { queryFn } = followScript([{ answers: 'old' }, unavailable, { answers: 'new' }])
    const { result } = renderHookWithClient(client, () => ({
      ...useQuery({ queryKey: ['cart'], queryFn }),
    }))
    await advanceRendered(10)
    result.current.refetch()
    await advanceRendered(100)
    expect(result.current).toMatchObject({ data: 'old', failureCount: 1 })
    result.current.refetch()
    await advanceRendered(100)
    expect(result.current).toMatchObject({ data: 'new', failureCount: 0, error: null })
  })
})
