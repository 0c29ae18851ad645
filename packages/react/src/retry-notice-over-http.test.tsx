import { useQuery } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { RetryNotice } from './retry-notice.tsx'
import { installNoticeStage, openStage, pass } from './testing-support/notice-stage.tsx'

installNoticeStage()
const CART = 'https://shop.example/cart'
const server = setupServer()
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

async function fetchCart(): Promise<string> {
  const response = await fetch(CART)
  if (!response.ok) throw response
  return response.json()
}

function Page({ queryFn }: { queryFn: () => Promise<string> }) {
  const query = useQuery({ queryKey: ['cart'], queryFn })
  return (
    <>
      <RetryNotice result={query} />
      <h1>{query.data}</h1>
    </>
  )
}

/** A page that fetches over the network, and what the person reads. */
function openPage(...responses: (() => Response)[]) {
  let count = 0
  server.use(
    http.get(
      CART,
      () => responses[Math.min(count++, responses.length - 1)]?.() as HttpResponse<null>,
    ),
  )
  const stage = openStage({ random: () => 0.5, baseMs: 1_000, capMs: 8_000, jitter: 'full' })
  let underWay: Promise<unknown> = Promise.resolve()
  const queryFn = () => {
    const attempt = fetchCart()
    underWay = attempt.catch(() => {})
    return attempt
  }
  render(<Page queryFn={queryFn} />, { wrapper: stage.wrapper })
  return {
    requestCount: () => count,
    /** What the answer under way brings, then so much time. */
    async read(afterMs = 0) {
      await act(async () => void (await underWay))
      await pass(afterMs + 1)
      await act(async () => void (await underWay))
      await pass(1)
      const [message, countdown] = ['status', 'timer'].map(
        role => screen.queryByRole(role)?.textContent,
      )
      const data = document.querySelector('h1')?.textContent
      return { message, countdown, data }
    },
  }
}

const busy = () => new HttpResponse(null, { status: 503 })
const limited = () => new HttpResponse(null, { status: 429, headers: { 'Retry-After': '2' } })
const cart = () => HttpResponse.json('3 items')

describe('<RetryNotice> over HTTP', () => {
  it('goes through two 503 with a countdown each, to the data', async () => {
    const { read, requestCount } = openPage(busy, busy, cart)
    const trouble = 'The server is having trouble.'
    // Half of [200, 1000], then half of [200, 2000].
    expect(await read()).toEqual({ message: trouble, countdown: 'Next try in 1 s', data: '' })
    expect(await read(600)).toEqual({ message: trouble, countdown: 'Next try in 2 s', data: '' })
    expect(await read(100)).toEqual({ message: trouble, countdown: 'Next try in 1 s', data: '' })
    expect(await read(1_000)).toEqual({ message: '', countdown: undefined, data: '3 items' })
    expect(requestCount()).toBe(3)
  })

  it('shows a 429 with Retry-After: 2 as 3 s, the wait and the draw on top, and asks to slow down', async () => {
    const { read, requestCount } = openPage(limited, cart)
    expect(await read()).toEqual({
      message: 'The server asked us to slow down.',
      countdown: 'Next try in 3 s',
      data: '',
    })
    await read(1_990)
    expect(requestCount()).toBe(1)
    expect(await read(610)).toEqual({ message: '', countdown: undefined, data: '3 items' })
  })
})
