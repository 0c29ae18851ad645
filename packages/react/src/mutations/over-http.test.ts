import { MutationObserver } from '@tanstack/react-query'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ietfDraft } from '../contracts/ietf-draft.ts'
import { createMemoryJournal } from '../intents/memory-journal.ts'
import { installFakeTime, startConversation } from '../testing-support/conversation.ts'
import { idempotentMutationOptions } from './idempotent-mutation-options.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())
installFakeTime()

const PAYMENTS = 'https://shop.test/payments'
type Reply = () => Response

/** Pays one order over HTTP to its end; the last reply repeats. */
async function payOverHttp(...replies: Reply[]) {
  const { client, events } = startConversation()
  const journal = createMemoryJournal()
  const received: { key: string | null; body: unknown }[] = []
  server.use(
    http.post(PAYMENTS, async ({ request }) => {
      received.push({ key: request.headers.get('idempotency-key'), body: await request.json() })
      const reply = replies[Math.min(received.length, replies.length) - 1]
      return reply?.() ?? HttpResponse.error()
    }),
  )
  const outcome: { data?: unknown; error?: unknown } = {}
  let isOver = false
  const options = idempotentMutationOptions({
    mutationKey: ['pay'],
    contract: ietfDraft(),
    intent: (order: { id: string }) => ['order', order.id],
    principal: 'ann',
    journal,
    async mutationFn(order, { headers, signal }) {
      const body = JSON.stringify(order)
      const response = await fetch(PAYMENTS, { method: 'POST', body, headers, signal })
      if (!response.ok) throw response
      return response.json()
    },
  })
  new MutationObserver(client, options)
    .mutate({ id: '1001' })
    .then(
      data => {
        outcome.data = data
      },
      error => {
        outcome.error = error
      },
    )
    .finally(() => {
      isOver = true
    })
  for (let turns = 0; !isOver && turns < 500; turns++) {
    await new Promise(resolve => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(100)
  }
  const [record] = await journal.list('ann')
  return { ...outcome, events, received, record }
}

const problem = (status: number, slug: string, headers = {}) =>
  HttpResponse.json(
    { type: `https://query-retry.example/problems/${slug}` },
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  )

describe('a mutation over HTTP', () => {
  it('sends the quoted key and the same body again after a lost connection', async () => {
    const { data, received, record } = await payOverHttp(HttpResponse.error, () =>
      HttpResponse.json({ id: 'pay_1' }, { status: 201 }),
    )
    expect(data).toEqual({ id: 'pay_1' })
    expect(received).toHaveLength(2)
    expect(received[0]).toEqual(received[1])
    expect(received[0]?.key).toBe(`"${record?.key}"`)
    expect(record?.state).toBe('succeeded')
  })

  it('waits for a request in progress, told by its problem type', async () => {
    const { data, events, received } = await payOverHttp(
      () => problem(409, 'request-in-progress', { 'retry-after': '2' }),
      () => HttpResponse.json({ id: 'pay_1' }, { status: 201 }),
    )
    expect(data).toEqual({ id: 'pay_1' })
    expect(received).toHaveLength(2)
    expect(events[1]).toMatchObject({ type: 'retry-scheduled', delayMs: 2_750, source: 'server' })
  })

  it('leaves the body of a refusal to whoever catches it', async () => {
    const { error, record } = await payOverHttp(() => problem(402, 'payment-declined'))
    expect(record).toMatchObject({ state: 'rejected', reason: 'payment-declined' })
    expect(await (error as Response).json()).toMatchObject({
      type: expect.stringContaining('payment-declined'),
    })
  })

  it('knows nothing of a page that is no answer: a 503 of a proxy in HTML', async () => {
    const { received, record } = await payOverHttp(() =>
      HttpResponse.html('<h1>Sorry</h1>', { status: 503 }),
    )
    expect(received).toHaveLength(1)
    expect(record).toMatchObject({ state: 'unknown', reason: 'http-503', isUnresolved: true })
  })
})
