import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunningServer } from '../server.ts'
import type { Login } from '../session/sessions.ts'
import { SHOP_ROUTES } from '../shop-routes.ts'
import { requestRaw } from '../testing/raw-request.ts'
import { startTestServer } from '../testing/test-server.ts'
import type { CallReport } from './call-log.ts'
import type { Fault } from './fault.ts'
import type { FaultTarget } from './fault-target.ts'

let server: RunningServer
/** What the server draws next for faults with a share. */
let draws: number[] = []

beforeAll(async () => {
  server = await startTestServer({ faults: true, random: () => draws.shift() ?? 0 })
})
beforeEach(async () => {
  await fetch(`${server.url}/faults`, { method: 'DELETE' })
  await fetch(`${server.url}/faults/calls`, { method: 'DELETE' })
})
afterAll(() => server.close())

async function setFault(target: FaultTarget, fault: Fault): Promise<void> {
  const body = JSON.stringify(fault)
  const response = await fetch(`${server.url}/faults/${target}`, { method: 'PUT', body })
  expect(await response.json()).toMatchObject({ route: target, fault: { kind: fault.kind } })
  expect(response.status).toBe(200)
}

async function readCalls(): Promise<CallReport> {
  return (await (await fetch(`${server.url}/faults/calls`)).json()) as CallReport
}

async function readAnswers(operation: string) {
  return (await readCalls()).operations[operation]?.calls.map(call => call.answer)
}

async function logIn(): Promise<string> {
  const response = await fetch(`${server.url}/session`, {
    method: 'POST',
    body: '{"visitor":"mina"}',
  })
  return ((await response.json()) as Login).token
}

async function countOrders(token: string): Promise<number> {
  const response = await fetch(`${server.url}/orders`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  return ((await response.json()) as { orders: object[] }).orders.length
}

async function statusesOf(path: string, calls: number): Promise<number[]> {
  const statuses: number[] = []
  for (let call = 0; call < calls; call++) statuses.push((await fetch(server.url + path)).status)
  return statuses
}

describe('a status fault', () => {
  it('answers the next 2 calls of its route and no other call', async () => {
    await setFault('cart', { kind: 'status', status: 503, calls: 2 })

    expect(await statusesOf('/orders', 1)).toEqual([200])
    expect(await statusesOf('/cart', 4)).toEqual([503, 503, 200, 200])
  })

  it('answers every call until it is removed, where neither calls nor share is given', async () => {
    await setFault('catalogue', { kind: 'status', status: 500 })

    expect(await statusesOf('/catalogue', 5)).toEqual([500, 500, 500, 500, 500])
    await fetch(`${server.url}/faults/catalogue`, { method: 'DELETE' })
    expect(await statusesOf('/catalogue', 1)).toEqual([200])
  })

  it('hits the calls whose draw is below the share', async () => {
    await setFault('orders', { kind: 'status', status: 502, share: 0.3 })
    draws = [0.29, 0.3, 0.9, 0]

    expect(await statusesOf('/orders', 4)).toEqual([502, 200, 200, 502])
  })

  it('on all routes spares control and health', async () => {
    await setFault('all', { kind: 'status', status: 503 })

    for (const path of ['/catalogue', '/cart', '/orders', '/orders/ord_1001'])
      expect(await statusesOf(path, 1)).toEqual([503])
    expect(await statusesOf('/faults', 1)).toEqual([200])
    expect(await statusesOf('/health', 1)).toEqual([200])
  })

  it('lets a page of another origin read the status and Retry-After', async () => {
    const retryAfter = { form: 'seconds', seconds: 7 } as const
    await setFault('cart', { kind: 'status', status: 429, retryAfter, calls: 1 })

    const response = await fetch(`${server.url}/cart`, {
      headers: { Origin: 'http://localhost:5173' },
    })

    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After,Date')
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({
      type: 'https://query-retry.example/problems/injected-fault',
      status: 429,
      title: 'Too Many Requests',
    })
  })

  it('sends the date form as an IMF-fixdate, never earlier than asked by its own Date', async () => {
    const retryAfter = { form: 'date', seconds: 5 } as const
    await setFault('cart', { kind: 'status', status: 503, retryAfter, calls: 1 })

    const { headers } = await fetch(`${server.url}/cart`)

    const value = headers.get('retry-after') ?? ''
    expect(value).toMatch(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/)
    const waitMs = Date.parse(value) - Date.parse(headers.get('date') ?? '')
    expect(waitMs).toBeGreaterThanOrEqual(5_000)
    expect(waitMs).toBeLessThanOrEqual(7_000)
  })

  it('has no Retry-After unless asked for', async () => {
    await setFault('cart', { kind: 'status', status: 503, calls: 1 })
    expect((await fetch(`${server.url}/cart`)).headers.has('retry-after')).toBe(false)
  })
})

describe('a close fault', () => {
  it('ends the connection before the first byte', async () => {
    await setFault('cart', { kind: 'close', calls: 2 })

    await expect(fetch(`${server.url}/cart`)).rejects.toThrow('fetch failed')
    expect(await requestRaw(`${server.url}/cart`)).toHaveLength(0)

    expect(await statusesOf('/cart', 1)).toEqual([200])
    expect(await readAnswers('GET /cart')).toEqual(['closed', 'closed', 200])
  })

  it('never hits a kept-alive connection, on which browsers repeat a GET unseen', async () => {
    const response = await fetch(`${server.url}/cart`)
    expect(response.headers.get('connection')).toBe('close')
  })
})

describe('a hang fault', () => {
  it('gives no answer for as long as the client waits', async () => {
    await setFault('cart', { kind: 'hang', calls: 1 })

    const waiting = fetch(`${server.url}/cart`, { signal: AbortSignal.timeout(200) })

    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(await readAnswers('GET /cart')).toEqual(['hung'])
    expect(await statusesOf('/cart', 1)).toEqual([200])
  })
})

describe('a slow fault', () => {
  it('gives the right answer, at least delayMs late', async () => {
    await setFault('order', { kind: 'slow', delayMs: 150, calls: 1 })
    const startMs = performance.now()

    const response = await fetch(`${server.url}/orders/ord_1001`)

    // A timer may fire up to a millisecond early by another clock.
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(149)
    expect(await response.json()).toMatchObject({ id: 'ord_1001' })
  })

  it('notes that the client went away instead', async () => {
    await setFault('cart', { kind: 'slow', delayMs: 60_000, calls: 1 })

    const waiting = fetch(`${server.url}/cart`, { signal: AbortSignal.timeout(100) })

    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' })
    await expect.poll(() => readAnswers('GET /cart')).toEqual(['abandoned'])
  })
})

describe('a lost-answer fault', () => {
  const placeOrder = (token: string, key: string) =>
    [
      `${server.url}/orders`,
      {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': `"${key}"`,
        },
      },
      '{"cart":"cart_demo"}',
    ] as const

  it('ends the connection without a byte after the route has done its work', async () => {
    const token = await logIn()
    const before = await countOrders(token)
    await setFault('place-order', { kind: 'lost-answer', calls: 1 })

    expect(await requestRaw(...placeOrder(token, 'lost-1'))).toHaveLength(0)

    expect(await countOrders(token)).toBe(before + 1)
    expect(await readAnswers('POST /orders')).toEqual(['lost'])
  })

  it('leaves an answer that the same key gets when it asks again', async () => {
    const token = await logIn()
    const before = await countOrders(token)
    await setFault('place-order', { kind: 'lost-answer', calls: 1 })
    const [url, init, body] = placeOrder(token, 'lost-2')

    await expect(fetch(url, { ...init, body })).rejects.toThrow('fetch failed')
    const second = await fetch(url, { ...init, body })

    expect(second.status).toBe(201)
    expect(second.headers.get('idempotency-status')).toBe('replayed')
    expect(await countOrders(token)).toBe(before + 1)
  })
})

describe('a cut-body fault', () => {
  it('shows the client status 200, then a network error', async () => {
    await setFault('cart', { kind: 'cut-body', calls: 1 })

    const response = await fetch(`${server.url}/cart`, {
      headers: { Origin: 'http://localhost:5173' },
    })

    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    await expect(response.json()).rejects.toBeInstanceOf(TypeError)
    expect(await readAnswers('GET /cart')).toEqual(['cut'])
  })

  it('sends half of the bytes that Content-Length announces', async () => {
    const whole = (await requestRaw(`${server.url}/cart`)).toString('latin1').split('\r\n\r\n')
    await setFault('cart', { kind: 'cut-body', calls: 1 })

    const [head, body] = (await requestRaw(`${server.url}/cart`))
      .toString('latin1')
      .split('\r\n\r\n')

    expect(head).toMatch(new RegExp(`^content-length: ${whole[1]?.length}$`, 'im'))
    expect(body).toBe(whole[1]?.slice(0, Math.floor((whole[1]?.length ?? 0) / 2)))
    expect(body).not.toBe('')
  })
})

describe('a cut-json fault', () => {
  it('is whole as HTTP and broken as JSON', async () => {
    await setFault('orders', { kind: 'cut-json', calls: 1 })

    const response = await fetch(`${server.url}/orders`)

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    const text = await response.text()
    expect(text).toMatch(/^\{"orders":/)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })
})

describe('the call count', () => {
  it('counts per route and per operation, with times and answers', async () => {
    const beforeEpochMs = Date.now()
    await statusesOf('/orders/ord_1001', 2)
    await statusesOf('/orders/ord_9999', 1)
    await statusesOf('/catalogue?page=2', 1)

    const { routes, operations, droppedCalls } = await readCalls()

    expect(Object.keys(routes)).toEqual(Object.keys(SHOP_ROUTES))
    expect(routes).toMatchObject({
      catalogue: { count: 1 },
      cart: { count: 0 },
      orders: { count: 0 },
      order: { count: 3 },
    })
    expect(operations['GET /orders/ord_1001']).toMatchObject({ route: 'order', count: 2 })
    expect(operations['GET /orders/ord_9999']?.calls[0]?.answer).toBe(404)
    expect(operations['GET /catalogue']?.calls[0]).toMatchObject({
      target: '/catalogue?page=2',
      answer: 200,
    })
    const [first, second] = operations['GET /orders/ord_1001']?.calls ?? []
    expect(first?.receivedAtEpochMs).toBeGreaterThanOrEqual(beforeEpochMs)
    expect(second?.receivedAtMs).toBeGreaterThan(first?.receivedAtMs ?? Number.NaN)
    expect(droppedCalls).toBe(0)
  })

  it('names no key that stands in a path, however it is written', async () => {
    const headers = { Authorization: `Bearer ${await logIn()}` }
    for (const key of ['s3cret', '%22s3cret%22', 's3cret%2Ftwo', 's3cret%20two', 's3cret%E2']) {
      await fetch(`${server.url}/payments/by-key/${key}?again=s3cret`, { headers })
      await fetch(`${server.url}/payments/by-key/${key}`, { method: 'HEAD', headers })
      await fetch(`${server.url}/payments/by-key/${key}/fence`, { method: 'POST', headers })
    }

    const report = await readCalls()

    expect(JSON.stringify(report)).not.toContain('s3cret')
    const lookUp = report.operations['GET /payments/by-key/:key']
    expect(lookUp).toMatchObject({ route: 'payment-by-key', count: 5 })
    expect(lookUp?.calls[0]?.target).toBe('/payments/by-key/:key')
    expect(report.operations['POST /payments/by-key/:key/fence']).toMatchObject({ route: 'fence' })
  })

  it('does not count control, health, preflight and what is no route', async () => {
    for (const path of ['/faults', '/faults/calls', '/health', '/nowhere'])
      await fetch(server.url + path)
    await fetch(`${server.url}/cart`, {
      method: 'OPTIONS',
      headers: { Origin: 'http://localhost:5173', 'Access-Control-Request-Method': 'GET' },
    })

    const { routes, operations } = await readCalls()

    expect(operations).toEqual({})
    expect(new Set(Object.values(routes).map(route => route.count))).toEqual(new Set([0]))
  })

  it('starts again at 0 after DELETE', async () => {
    await statusesOf('/cart', 1)
    expect((await fetch(`${server.url}/faults/calls`, { method: 'DELETE' })).status).toBe(204)
    expect((await readCalls()).routes.cart).toEqual({ count: 0 })
  })
})

// Last in the file: it closes the server that all of the file shares.
describe('closing the server', () => {
  it('ends a hanging and a slow call, and waits for neither', async () => {
    await setFault('cart', { kind: 'hang' })
    await setFault('orders', { kind: 'slow', delayMs: 600_000 })
    const pending = ['/cart', '/orders'].map(path =>
      fetch(server.url + path).then(
        response => response.status,
        error => error,
      ),
    )
    await expect
      .poll(async () => (await readCalls()).routes)
      .toMatchObject({ cart: { count: 1 }, orders: { count: 1 } })

    await server.close()

    for (const outcome of await Promise.all(pending)) expect(outcome).toBeInstanceOf(TypeError)
    await expect(fetch(`${server.url}/health`)).rejects.toThrow('fetch failed')
  })
})
