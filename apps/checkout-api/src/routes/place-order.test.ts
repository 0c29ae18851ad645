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
