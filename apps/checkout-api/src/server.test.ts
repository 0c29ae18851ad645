import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cart, CataloguePage, Order, OrderSummary } from './index.ts'
import type { RunningServer } from './server.ts'
import { startTestServer } from './testing/test-server.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

async function readJson<T>(path: string): Promise<T> {
  const response = await fetch(server.url + path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  return (await response.json()) as T
}

describe('GET /catalogue', () => {
  it('hands out 12 products on 2 pages, none twice', async () => {
    const first = await readJson<CataloguePage>('/catalogue?page=1')
    const second = await readJson<CataloguePage>('/catalogue?page=2')

    expect(first.nextPage).toBe(2)
    expect(second.nextPage).toBeNull()
    expect(first.products).toHaveLength(6)
    const ids = [...first.products, ...second.products].map(product => product.id)
    expect(new Set(ids).size).toBe(12)
  })

  it('describes a product in two languages, with its price in won and a tile to draw', async () => {
    const { products } = await readJson<CataloguePage>('/catalogue')

    expect(products[0]).toEqual({
      id: 'prd_hanji_notebook',
      name: { en: 'Hanji notebook', ko: '한지 노트' },
      description: {
        en: 'Mulberry paper, thread-bound, 96 pages that take a fountain pen well.',
        ko: '닥나무 한지를 실로 엮은 96쪽 노트. 만년필 잉크가 번지지 않아요.',
      },
      price: { amount: 14_000, currency: 'KRW' },
      tile: { emoji: '📓', from: '#f4e3c1', to: '#d9a95b' },
    })
  })

  it('is empty beyond the last page', async () => {
    expect(await readJson('/catalogue?page=9999')).toEqual({ products: [], nextPage: null })
  })

  it.each(['0', '-1', '1.5', '', 'two', '1e3', '99999999999999999999', '10001'])(
    'refuses page=%j and says what it accepts',
    async page => {
      const response = await fetch(`${server.url}/catalogue?page=${page}`)

      expect(response.status).toBe(400)
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      expect(await response.json()).toMatchObject({
        errors: [
          {
            field: 'page',
            value: JSON.stringify(page),
            accepted: 'a whole number from 1 to 10000',
          },
        ],
      })
    },
  )
})

describe('GET /cart', () => {
  it('holds lines whose totals add up to the total', async () => {
    const cart = await readJson<Cart>('/cart')

    expect(cart.id).toBe('cart_demo')
    expect(cart.lines.map(line => [line.product.id, line.quantity, line.lineTotal.amount])).toEqual(
      [
        ['prd_hanji_notebook', 2, 28_000],
        ['prd_ujeon_green_tea', 1, 38_000],
        ['prd_celadon_cup', 2, 58_000],
      ],
    )
    expect(cart.total).toEqual({ amount: 124_000, currency: 'KRW' })
  })
})

describe('GET /orders', () => {
  it('lists the newest first, with pieces and total', async () => {
    const { orders } = await readJson<{ orders: OrderSummary[] }>('/orders')

    expect(orders.map(order => order.id)).toEqual(['ord_1004', 'ord_1003', 'ord_1002', 'ord_1001'])
    expect(orders[0]).toEqual({
      id: 'ord_1004',
      status: 'open',
      placedAt: '2026-03-08T11:30:00.000Z',
      itemCount: 4,
      total: { amount: 76_000, currency: 'KRW' },
    })
  })
})

describe('GET /orders/:id', () => {
  it('shows the lines of one order', async () => {
    const order = await readJson<Order>('/orders/ord_1001')

    expect(order).toMatchObject({
      id: 'ord_1001',
      status: 'paid',
      itemCount: 3,
      total: { amount: 78_000, currency: 'KRW' },
    })
    expect(
      order.lines.map(line => [line.product.id, line.quantity, line.unitPrice.amount]),
    ).toEqual([
      ['prd_brass_pen', 1, 42_000],
      ['prd_pine_soot_ink', 2, 18_000],
    ])
  })

  it.each(['ord_9999', "ord_1001'--", '%00', '%F0%9F%8D%B5', 'x'.repeat(5_000)])(
    'answers 404 with a problem for an order that does not exist: %.20s',
    async id => {
      const response = await fetch(`${server.url}/orders/${id}`)

      expect(response.status).toBe(404)
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      expect(await response.json()).toEqual({
        type: 'https://query-retry.example/problems/order-not-found',
        status: 404,
        title: 'There is no such order',
      })
    },
  )
})

describe('GET /health', () => {
  it('names the engine that answers', async () => {
    const database = process.env.TEST_DATABASE_URL ? 'postgresql' : 'pglite'
    expect(await readJson('/health')).toEqual({ status: 'ok', database })
  })
})

describe('headers of every answer', () => {
  it.each([
    ['/cart', 200],
    ['/catalogue?page=0', 400],
    ['/orders/ord_9999', 404],
    ['/nowhere', 404],
  ])('%s: a local page may read status %i, Retry-After and Date', async (path, status) => {
    const response = await fetch(server.url + path, {
      headers: { Origin: 'http://localhost:5173' },
    })

    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After,Date')
    expect(response.headers.get('vary')).toMatch(/origin/i)
    expect(response.headers.get('cache-control')).toBe('no-store')
    // Node's own server adds it; a client measures a Retry-After date against it.
    expect(Date.parse(response.headers.get('date') ?? '')).not.toBeNaN()
  })

  it('a page from elsewhere may not read', async () => {
    for (const origin of ['https://example.com', 'http://localhost.example.com', 'null']) {
      const response = await fetch(`${server.url}/cart`, { headers: { Origin: origin } })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})

describe('without fault switches', () => {
  it.each([
    ['GET', '/faults'],
    ['PUT', '/faults/cart'],
    ['DELETE', '/faults'],
    ['DELETE', '/faults/cart'],
    ['GET', '/faults/calls'],
    ['DELETE', '/faults/calls'],
  ])('%s %s does not exist, and nothing goes wrong', async (method, path) => {
    const body = method === 'PUT' ? JSON.stringify({ kind: 'close' }) : null

    const response = await fetch(server.url + path, { method, body })

    expect(response.status).toBe(404)
    expect((await fetch(`${server.url}/cart`)).status).toBe(200)
  })
})
