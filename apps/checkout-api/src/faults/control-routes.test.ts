import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../server.ts'
import { SHOP_ROUTES } from '../shop-routes.ts'
import { startTestServer } from '../testing/test-server.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startTestServer({ faults: true })
})
afterEach(async () => {
  await fetch(`${server.url}/faults`, { method: 'DELETE' })
})
afterAll(() => server.close())

function put(route: string, body: string): Promise<Response> {
  return fetch(`${server.url}/faults/${route}`, { method: 'PUT', body })
}

async function readFaults() {
  return ((await (await fetch(`${server.url}/faults`)).json()) as { faults: object }).faults
}

const CALM = Object.fromEntries([...Object.keys(SHOP_ROUTES), 'all'].map(route => [route, null]))

describe('GET /faults', () => {
  it('shows every route, and what is left of its fault', async () => {
    expect(await readFaults()).toEqual(CALM)
    await put('cart', JSON.stringify({ kind: 'status', status: 503, calls: 3 }))
    await fetch(`${server.url}/cart`)

    expect(await readFaults()).toEqual({ ...CALM, cart: { kind: 'status', status: 503, calls: 2 } })
  })

  it('lets a local page set faults', async () => {
    const preflight = await fetch(`${server.url}/faults/cart`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'http://localhost:5173',
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'content-type',
      },
    })

    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Content-Type')
  })
})

describe('DELETE /faults', () => {
  it('calms one route, or all', async () => {
    for (const route of ['cart', 'orders', 'all']) await put(route, '{"kind":"close"}')

    expect((await fetch(`${server.url}/faults/cart`, { method: 'DELETE' })).status).toBe(204)
    expect(await readFaults()).toMatchObject({ cart: null, orders: { kind: 'close' } })
    expect((await fetch(`${server.url}/faults`, { method: 'DELETE' })).status).toBe(204)
    expect(await readFaults()).toEqual(CALM)
  })
})

describe('PUT /faults/:route refuses', () => {
  const KINDS = '"status", "close", "hang", "slow", "lost-answer", "cut-body" or "cut-json"'

  it.each([
    [
      'a negative count',
      '{"kind":"close","calls":-1}',
      'calls',
      '-1',
      'a whole number from 1 to 1000000',
    ],
    [
      'no calls at all',
      '{"kind":"close","calls":0}',
      'calls',
      '0',
      'a whole number from 1 to 1000000',
    ],
    [
      'a broken count',
      '{"kind":"close","calls":1.5}',
      'calls',
      '1.5',
      'a whole number from 1 to 1000000',
    ],
    [
      'a count as text',
      '{"kind":"close","calls":"2"}',
      'calls',
      '"2"',
      'a whole number from 1 to 1000000',
    ],
    [
      'an endless count',
      '{"kind":"close","calls":1e999}',
      'calls',
      'Infinity',
      'a whole number from 1 to 1000000',
    ],
    ['a share of 2', '{"kind":"close","share":2}', 'share', '2', 'a number from 0 to 1'],
    ['a negative share', '{"kind":"close","share":-0.1}', 'share', '-0.1', 'a number from 0 to 1'],
    [
      'calls and share',
      '{"kind":"close","calls":1,"share":1}',
      'share',
      '1',
      'calls or share, not both',
    ],
    [
      'status 999',
      '{"kind":"status","status":999}',
      'status',
      '999',
      'a whole number from 400 to 599',
    ],
    [
      'status 101',
      '{"kind":"status","status":101}',
      'status',
      '101',
      'a whole number from 400 to 599',
    ],
    ['no status', '{"kind":"status"}', 'status', 'undefined', 'a whole number from 400 to 599'],
    [
      'a huge delay',
      '{"kind":"slow","delayMs":1e12}',
      'delayMs',
      '1000000000000',
      'a whole number from 1 to 600000',
    ],
    [
      'an endless outage',
      '{"kind":"close","forMs":1e12}',
      'forMs',
      '1000000000000',
      'a whole number from 1 to 600000',
    ],
    ['an unknown kind', '{"kind":"explode"}', 'kind', '"explode"', KINDS],
    ['no kind', '{}', 'kind', 'undefined', KINDS],
    [
      "another fault's field",
      '{"kind":"close","status":503}',
      'status',
      '503',
      'no such field for this kind of fault',
    ],
    [
      'a wait in a third form',
      '{"kind":"status","status":503,"retryAfter":{"form":"ms","seconds":1}}',
      'retryAfter.form',
      '"ms"',
      '"seconds" or "date"',
    ],
    [
      'a negative wait',
      '{"kind":"status","status":503,"retryAfter":{"form":"date","seconds":-1}}',
      'retryAfter.seconds',
      '-1',
      'a whole number from 0 to 31536000',
    ],
    ['a list', '[]', 'kind', 'undefined', KINDS],
    ['null', 'null', 'body', 'null', 'a fault as a JSON object'],
    ['broken JSON', '{"kind":', 'body', 'not JSON', 'a fault as a JSON object'],
    ['NaN', '{"kind":"close","calls":NaN}', 'body', 'not JSON', 'a fault as a JSON object'],
    ['nothing', '', 'body', 'not JSON', 'a fault as a JSON object'],
  ])('%s: 400 names field, value and what is accepted', async (_, body, field, value, accepted) => {
    const response = await put('cart', body)

    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const problem = (await response.json()) as { detail: string; errors: object[] }
    expect(problem.errors).toEqual([{ field, value, accepted }])
    expect(problem.detail).toBe(`${field} is ${value}; accepted: ${accepted}`)
    expect(await readFaults()).toEqual(CALM)
  })

  it('a route that does not exist: 404 lists those that do', async () => {
    for (const route of ['checkout', '__proto__', 'toString']) {
      const response = await put(route, '{"kind":"close"}')
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        detail: `"${route}" is none of: catalogue, cart, orders, order, place-order, pay, payment, payment-by-key, fence, login, all`,
      })
    }
  })

  it('a body of 10 MB: 413 says how much is accepted', async () => {
    const response = await put('cart', JSON.stringify({ kind: 'x'.repeat(10_000_000) }))

    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ detail: 'accepted: at most 16384 bytes' })
    expect((await fetch(`${server.url}/cart`)).status).toBe(200)
  })
})
