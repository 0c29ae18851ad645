import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { connectProvider } from './provider-client.ts'

const EFFECT_KEY = '7a1c2f6e-5a5e-4d9d-9a53-0d1f5b1c9e00'
const CHARGE = { reference: 'ord_1', amount: 100, currency: 'KRW', paymentMethod: 'card_ok' }
const CAPTURED = {
  id: 'ch_1',
  status: 'captured',
  reference: 'ord_1',
  amount: 100,
  currency: 'KRW',
  createdAt: '2026-01-02T03:04:05.678Z',
}
const DECLINED = { ...CAPTURED, status: 'declined', declineCode: 'expired-card' }

let server: Server
let lines: string[]
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function connectTo(answer: RequestListener, timeoutMs = 5_000) {
  lines = []
  server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return connectProvider({
    url: `http://127.0.0.1:${port}`,
    timeoutMs,
    log: line => lines.push(line),
  })
}

const answerJson =
  (status: number, body: unknown, type = 'application/json'): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': type })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

describe('charge', () => {
  it('sends the effect key and the charge, and nothing of the browser', async () => {
    const seen: unknown[] = []
    const provider = await connectTo(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      seen.push(request.method, request.url, request.headers['idempotency-key'], JSON.parse(body))
      answerJson(201, CAPTURED)(request, response)
    })

    await provider.charge(EFFECT_KEY, CHARGE)

    expect(seen).toEqual(['POST', '/charges', EFFECT_KEY, CHARGE])
  })

  it.each([
    [
      '201 captured',
      201,
      CAPTURED,
      { status: 'captured', providerChargeId: 'ch_1', createdAt: '2026-01-02T03:04:05.678Z' },
    ],
    [
      '402 declined',
      402,
      DECLINED,
      {
        status: 'declined',
        providerChargeId: 'ch_1',
        createdAt: '2026-01-02T03:04:05.678Z',
        declineCode: 'expired-card',
      },
    ],
  ])('%s is a decision', async (_, status, body, result) => {
    const provider = await connectTo(answerJson(status, body))

    expect(await provider.charge(EFFECT_KEY, CHARGE)).toEqual(result)
  })

  it('brings the date into a form that PostgreSQL takes, whatever the calendar says of it', async () => {
    const provider = await connectTo(
      answerJson(201, { ...CAPTURED, createdAt: '2026-02-31T00:00:00+09:00' }),
    )

    expect(await provider.charge(EFFECT_KEY, CHARGE)).toMatchObject({
      createdAt: '2026-03-02T15:00:00.000Z',
    })
  })

  it.each([
    ['a page of a proxy with 200', answerJson(200, '<html>Welcome</html>', 'text/html')],
    ['201 without a body', answerJson(201, '')],
    ['201 with half a body', answerJson(201, '{"id":"ch_1","status":"capt')],
    ['201 with a status of its own', answerJson(201, { ...CAPTURED, status: 'processing' })],
    ['201 that says declined', answerJson(201, DECLINED)],
    ['402 that does not say why', answerJson(402, { ...CAPTURED, status: 'declined' })],
    ['402 that says captured', answerJson(402, CAPTURED)],
    ['402 of a proxy', answerJson(402, { message: 'payment required' })],
    ['500 that says captured', answerJson(500, CAPTURED)],
    ['another amount', answerJson(201, { ...CAPTURED, amount: 99 })],
    ['another order', answerJson(201, { ...CAPTURED, reference: 'ord_2' })],
    ['another currency', answerJson(201, { ...CAPTURED, currency: 'USD' })],
    ['an id that cannot be stored', answerJson(201, { ...CAPTURED, id: 'ch\0' })],
    ['a decline code that cannot be stored', answerJson(402, { ...DECLINED, declineCode: 'a\0' })],
    ['a date that is none', answerJson(201, { ...CAPTURED, createdAt: 'yesterday' })],
    ['400', answerJson(400, { type: 'about:blank' }, 'application/problem+json')],
    ['422', answerJson(422, { type: 'about:blank' }, 'application/problem+json')],
    ['429', answerJson(429, {})],
    ['503', answerJson(503, {})],
    [
      'a redirect, even to a decision',
      (request: Parameters<RequestListener>[0], response: Parameters<RequestListener>[1]) => {
        if (request.url === '/elsewhere') return answerJson(200, CAPTURED)(request, response)
        response.writeHead(303, { Location: '/elsewhere' })
        response.end()
      },
    ],
    [
      'a connection that ends',
      (request: Parameters<RequestListener>[0]) => {
        request.socket.destroy()
      },
    ],
  ])('%s is no decision: unknown, with a line for the log', async (_, answer) => {
    const provider = await connectTo(answer as RequestListener)

    expect(await provider.charge(EFFECT_KEY, CHARGE)).toBe('unknown')
    expect(lines).toHaveLength(1)
    expect(lines.join()).not.toContain(EFFECT_KEY)
    expect(lines.join()).not.toContain('card_ok')
  })

  it('gives up after the time limit: unknown', async () => {
    const provider = await connectTo(() => undefined, 50)

    expect(await provider.charge(EFFECT_KEY, CHARGE)).toBe('unknown')
    expect(lines).toEqual([expect.stringContaining('gave no answer')])
  })

  it('gives up after the time limit also in the middle of an answer: unknown', async () => {
    const provider = await connectTo((_, response) => {
      response.writeHead(201, { 'Content-Type': 'application/json' })
      response.write('{"id":')
    }, 50)

    expect(await provider.charge(EFFECT_KEY, CHARGE)).toBe('unknown')
  })

  it('nobody there: unknown', async () => {
    const provider = await connectTo(() => undefined)
    server.close()

    expect(await provider.charge(EFFECT_KEY, CHARGE)).toBe('unknown')
  })
})

describe('find', () => {
  it.each([
    ['a captured charge', answerJson(200, CAPTURED), { status: 'captured' }],
    ['a declined charge', answerJson(200, DECLINED), { status: 'declined' }],
  ])('%s is a decision', async (_, answer, result) => {
    expect(await (await connectTo(answer)).find(EFFECT_KEY)).toMatchObject(result)
  })

  it('asks by the effect key, and asks for nothing to be charged', async () => {
    const seen: unknown[] = []
    const provider = await connectTo((request, response) => {
      seen.push(request.method, request.url)
      answerJson(200, CAPTURED)(request, response)
    })

    await provider.find(EFFECT_KEY)

    expect(seen).toEqual(['GET', `/charges/by-key/${EFFECT_KEY}`])
  })

  it("finds nothing where the provider's own 404 says so", async () => {
    const provider = await connectTo(answerJson(404, {}, 'application/problem+json'))

    expect(await provider.find(EFFECT_KEY)).toBeUndefined()
  })

  it.each([
    ["somebody else's 404", answerJson(404, '<html>Not found</html>', 'text/html')],
    ['503', answerJson(503, {})],
  ])('%s is no proof: unknown', async (_, answer) => {
    expect(await (await connectTo(answer)).find(EFFECT_KEY)).toBe('unknown')
  })
})
