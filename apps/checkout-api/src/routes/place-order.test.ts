import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, startTestShop, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let key: string

beforeAll(async () => {
  shop = await startTestShop()
})
beforeEach(() => {
  key = randomUUID()
})
afterAll(() => shop.close())

describe('POST /orders', () => {
  it('places the cart as an open order once per key', async () => {
    const [first, second] = [await shop.placeCart(key), await shop.placeCart(key)]

    const placed = (await first.json()) as { id: string }
    expect(first.status).toBe(201)
    expect(placed).toMatchObject({ status: 'open', total: { amount: 124_000, currency: 'KRW' } })
    expect(first.headers.get('location')).toBe(`/orders/${placed.id}`)
    expect(second.headers.get('idempotency-status')).toBe('replayed')
    expect(await second.json()).toEqual(placed)
    const order = await fetch(`${shop.url}/orders/${placed.id}`)
    expect(await order.json()).toMatchObject({ status: 'open', itemCount: 5 })
  })

  it('takes over lines and prices of the cart, in their order', async () => {
    const { lines } = (await (await fetch(`${shop.url}/cart`)).json()) as { lines: unknown[] }
    const response = await shop.placeCart(key)
    const { id } = (await response.json()) as { id: string }

    expect(response.headers.get('link')).toBe(`</orders/${id}>; rel="related"`)
    const order = await (await fetch(`${shop.url}/orders/${id}`)).json()
    expect(order).toMatchObject({ lines })
  })

  it('belongs to the visitor who placed it, and so does the key', async () => {
    const place = async (visitor: string) =>
      fetch(`${shop.url}/orders`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${await shop.logIn(visitor)}`,
          'Idempotency-Key': key,
        },
        body: '{"cart":"cart_demo"}',
      })
    const idOf = async (response: Response) => ((await response.json()) as { id: string }).id

    const [mina, jun] = [await idOf(await place('mina')), await idOf(await place('jun'))]

    expect(jun).not.toBe(mina)
    const placedBy = await shop.database.query(
      'SELECT placed_by FROM orders WHERE id = ANY($1) ORDER BY placed_at',
      [[mina, jun]],
    )
    expect(placedBy).toEqual([{ placed_by: 'mina' }, { placed_by: 'jun' }])
  })

  it.each([
    ['a member more', '{"cart":"cart_demo","note":""}', 400],
    ['more than 16 KiB', `{"cart":"cart_demo"${' '.repeat(16_384)}}`, 413],
  ])('refuses %s', async (_, body, status) => {
    const response = await fetch(`${shop.url}/orders`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${shop.token}`, 'Idempotency-Key': key },
      body,
    })

    expect(response.status).toBe(status)
  })

  it('can be paid', async () => {
    const placed = (await (await shop.placeCart(key)).json()) as { id: string }

    const paid = await shop.pay({ key: randomUUID(), order: placed.id, amount: 124_000 })

    expect(paid.status).toBe(201)
  })

  it('answers 409 for a cart with nothing in it, and 400 for what is none', async () => {
    expect(await problemOf(await shop.placeCart(key, 'cart_none'))).toBe('cart-empty')
    expect((await shop.placeCart(randomUUID(), '../cart')).status).toBe(400)
  })

  it('needs a key and a login', async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${shop.url}/orders`, { method: 'POST', headers, body: '{"cart":"cart_demo"}' })

    expect((await ask({ Authorization: `Bearer ${shop.token}` })).status).toBe(400)
    expect((await ask({ 'Idempotency-Key': key })).status).toBe(401)
  })
})
