// @vitest-environment node
import { QueryClientProvider, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { retry, retryDelay } from './plain-retry.ts'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

const unavailable = { status: 503 }

function Cart() {
  const query = useQuery({ queryKey: ['cart'], queryFn: () => Promise.reject(unavailable) })
  return <p>{query.status}</p>
}

function SuspendedCart() {
  const queryFn = () => new Promise<string>(() => {})
  return <p>{useSuspenseQuery({ queryKey: ['cart'], queryFn }).data}</p>
}

describe('on a server', () => {
  it('has no window, or these tests say nothing', () => {
    expect(typeof window).toBe('undefined')
  })

  it('nothing is retried: somebody waits for the HTML', async () => {
    const { fetch, stopReasons } = startConversation()
    const ending = fetch([{ fails: unavailable }])
    await advance(60_000)
    expect(ending).toEqual({ sentAtMs: [0], endedAtMs: 0, error: unavailable })
    expect(stopReasons()).toEqual(['disabled'])
  })

  it('retries as elsewhere with `retryOnServer`', async () => {
    const { fetch } = startConversation({ retryOnServer: true })
    const ending = fetch([{ fails: unavailable }])
    await advance(60_000)
    expect(ending.sentAtMs).toEqual([0, 600, 1_700, 3_800, 7_900])
  })

  it('the plain pair retries nothing', () => {
    expect(retryDelay(0, unavailable)).toBe(0)
    expect(retry(0, unavailable)).toBe(false)
  })

  it('renderToString gives the HTML of the first render', () => {
    const { client } = startConversation()
    expect(
      renderToString(
        <QueryClientProvider client={client}>
          <Cart />
        </QueryClientProvider>,
      ),
    ).toBe('<p>pending</p>')
  })

  it('renderToString gives the fallback of a suspended query', () => {
    const { client } = startConversation()
    const html = renderToString(
      <QueryClientProvider client={client}>
        <Suspense fallback={<p>loading</p>}>
          <SuspendedCart />
        </Suspense>
      </QueryClientProvider>,
    )
    expect(html).toContain('<p>loading</p>')
  })
})
