import {
  dehydrate,
  hydrate,
  QueryClient,
  QueryObserver,
  skipToken,
  useQuery,
} from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import {
  advance,
  followScript,
  installFakeTime,
  startConversation,
} from './testing-support/conversation.ts'
import { advanceRendered, renderHookWithClient } from './testing-support/render-with-client.tsx'

installFakeTime()

const unavailable = { status: 503 }

describe.each([
  ['without an attempt timeout', {}],
  ['with one', { attemptTimeoutMs: 5_000 }],
])('the preset, %s, hands on', (_, options) => {
  const answer = { cart: ['tea'] }
  /** An object that is a promise to `await` only, as query builders return. */
  const thenable = {
    // biome-ignore lint/suspicious/noThenProperty: the case under test
    then(onData: (data: object) => void) {
      onData(answer)
    },
  }

  it.each([
    ['a promise', () => Promise.resolve(answer)],
    ['a value, at once', () => answer],
    ['an object with only `then`', () => thenable],
  ])('the very data of a query function that returns %s', async (_name, queryFn) => {
    const { client, events } = startConversation(options)
    const fetched = client.fetchQuery({ queryKey: ['cart'], queryFn: queryFn as () => object })
    await advance(0)
    expect(await fetched).toBe(answer)
    expect(events).toEqual([])
  })

  it.each([
    ['null', null],
    ['false', false],
    ['0', 0],
    ['an empty text', ''],
  ])('data that is %s', async (_name, data) => {
    const { client } = startConversation(options)
    expect(await client.fetchQuery({ queryKey: ['cart'], queryFn: () => data })).toBe(data)
  })

  it('what a query function throws at once', async () => {
    const { client } = startConversation(options)
    const thrown = { status: 404 }
    const fetched = client.fetchQuery({
      queryKey: ['cart'],
      queryFn: () => {
        throw thrown
      },
    })
    await expect(fetched).rejects.toBe(thrown)
  })

  it('the error of a thenable', async () => {
    const { client } = startConversation(options)
    const thrown = { status: 404 }
    // biome-ignore lint/suspicious/noThenProperty: the case under test
    const rejecting = { then: (_: unknown, onError: (e: unknown) => void) => onError(thrown) }
    const fetched = client.fetchQuery({ queryKey: ['cart'], queryFn: () => rejecting as never })
    await expect(fetched).rejects.toBe(thrown)
  })

  it("TanStack's own refusal of undefined data, without a retry", async () => {
    const { client } = startConversation(options)
    const { queryFn, sentAtMs } = followScript([{ answers: undefined }])
    const fetched = client.fetchQuery({ queryKey: ['cart'], queryFn })
    fetched.catch(() => {})
    await advance(60_000)
    await expect(fetched).rejects.toThrow('data is undefined')
    expect(sentAtMs).toHaveLength(1)
  })
})

describe('the preset leaves alone', () => {
  it('a query with skipToken: nothing is sent', async () => {
    const { client, events } = startConversation()
    const { result } = renderHookWithClient(client, () => ({
      ...useQuery({ queryKey: ['cart'], queryFn: skipToken }),
    }))
    await advanceRendered(10_000)
    expect(result.current).toMatchObject({ status: 'pending', fetchStatus: 'idle' })
    expect(events).toEqual([])
  })

  it('initialData: shown at once, and kept while a refetch fails', async () => {
    const { client, clock } = startConversation()
    const { queryFn, sentAtMs } = followScript([{ fails: unavailable }], clock.nowMs)
    const { result } = renderHookWithClient(client, () => ({
      ...useQuery<unknown>({ queryKey: ['cart'], queryFn, initialData: 'old' }),
    }))
    expect(result.current).toMatchObject({ status: 'success', data: 'old' })
    await advanceRendered(60_000)
    expect(result.current).toMatchObject({ status: 'error', data: 'old', error: unavailable })
    expect(sentAtMs).toHaveLength(5)
  })

  it('data that is equal stays the same object over a refetch', async () => {
    const { client } = startConversation()
    const options = { queryKey: ['cart'], queryFn: async () => ({ cart: ['tea'] }), staleTime: 0 }
    await client.fetchQuery(options)
    const first = client.getQueryData(['cart'])
    await advance(1_000)
    await client.fetchQuery(options)
    expect(client.getQueryData(['cart'])).toBe(first)
  })

  it('the promise of a hydrated query; its failure is retried, counting on from 1', async () => {
    const server = new QueryClient({
      defaultOptions: {
        queries: { retry: false },
        dehydrate: { shouldDehydrateQuery: () => true, shouldRedactErrors: () => false },
      },
    })
    let failOnServer = (_: unknown) => {}
    const rendering = new Promise<string>((_, reject) => {
      failOnServer = reject
    })
    server.prefetchQuery({ queryKey: ['cart'], queryFn: () => rendering })
    const { client, clock, eventTypes } = startConversation()
    hydrate(client, dehydrate(server))
    const { queryFn, sentAtMs } = followScript(
      [{ fails: unavailable }, { answers: 'tea' }],
      clock.nowMs,
    )
    const observer = new QueryObserver(client, { queryKey: ['cart'], queryFn })
    const unsubscribe = observer.subscribe(() => {})
    failOnServer(unavailable)
    await advance(60_000)
    unsubscribe()
    // The server's failure counts as the first: waits of 600 and 1,100 ms.
    expect(client.getQueryData(['cart'])).toBe('tea')
    expect(sentAtMs).toEqual([600, 1_700])
    expect(eventTypes().at(-1)).toBe('recovered')
  })
})
