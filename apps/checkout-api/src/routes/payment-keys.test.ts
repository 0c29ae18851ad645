import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problemOf, startTestShop, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let order: string
let key: string

beforeAll(async () => {
  // The completer stays out of it: what a test leaves half done stays half done.
  shop = await startTestShop({ completeEveryMs: 3_600_000 })
})
beforeEach(async () => {
  await shop.setProviderFaults()
  order = await shop.placeOrder()
  key = randomUUID()
})
afterAll(() => shop.close())

const statusOf = async (id: string) =>
  (
    await shop.database.query<{ status: string }>('SELECT status FROM orders WHERE id = $1', [id])
  )[0]?.status

describe('GET /payments/by-key/:key', () => {
  it('says what became of a payment, with its stored answer', async () => {
    const paid = await (await shop.pay({ key, order })).json()

    const response = await shop.lookUp(key)

    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ state: 'done', answer: { status: 201, body: paid } })
  })

  it('takes the key in both of its forms', async () => {
    await shop.pay({ key, order })

    expect(await (await shop.lookUp(`"${key}"`)).json()).toMatchObject({ state: 'done' })
  })

  it('calls an unknown outcome running, with a time to look again', async () => {
    await shop.setProviderFaults({ kind: 'lost-after', calls: 1 })
    await shop.pay({ key, order })

    const response = await shop.lookUp(key)

    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toEqual({ state: 'running' })
  })

  it('calls a key waiting that found its order busy, until it is sent again', async () => {
    await shop.setProviderFaults({ kind: 'lost-after', calls: 1 })
    await shop.pay({ key: randomUUID(), order })
    await shop.pay({ key, order })

    const response = await shop.lookUp(key)

    expect(response.headers.get('retry-after')).toBeNull()
    expect(await response.json()).toEqual({ state: 'waiting' })
  })

  it('calls a key expired whose answer is kept no more, with a link to the order', async () => {
    await shop.pay({ key, order })
    await shop.database.query('UPDATE idempotency_records SET body = NULL WHERE key = $1', [key])

    const response = await shop.lookUp(key)

    expect(response.headers.get('link')).toBe(`</orders/${order}>; rel="related"`)
    expect(await response.json()).toEqual({ state: 'expired' })
  })

  it("answers 404 for a key that never came, and for another visitor's", async () => {
    expect(await problemOf(await shop.lookUp(randomUUID()))).toBe('key-not-found')
    await shop.pay({ key, order })
    expect(await problemOf(await shop.lookUp(key, await shop.logIn('jun')))).toBe('key-not-found')
  })

  it.each([
    ['a space', 'a b'],
    ['256 characters', 'x'.repeat(256)],
    ['Korean', '열쇠'],
    ['NUL', '\0'],
  ])('refuses %s with 400', async (_, wrong) => {
    expect((await shop.lookUp(wrong)).status).toBe(400)
  })

  it('answers 422 for a key of another route', async () => {
    await shop.placeCart(key)

    expect(await problemOf(await shop.lookUp(key))).toBe('key-mismatch')
  })

  it('is for those who are logged in', async () => {
    expect((await shop.lookUp(key, 'nobody')).status).toBe(401)
    expect((await shop.fence(key, 'nobody')).status).toBe(401)
  })
})

describe('POST /payments/by-key/:key/fence', () => {
  it('burns a key that never came: the late original charges nothing, and a new key may pay', async () => {
    const fenced = await shop.fence(key)

    expect(fenced.status).toBe(200)
    expect(await fenced.json()).toMatchObject({
      state: 'done',
      answer: {
        status: 409,
        body: { type: 'https://query-retry.example/problems/key-fenced' },
      },
    })
    const late = await shop.pay({ key, order })
    expect(late.headers.get('idempotency-status')).toBe('replayed')
    expect(await problemOf(late)).toBe('key-fenced')
    expect(await shop.ledger(order)).toEqual([])
    expect((await shop.pay({ key: randomUUID(), order })).status).toBe(201)
  })

  it('says "done" for a payment that was made, and leaves it', async () => {
    await shop.pay({ key, order })

    expect(await (await shop.fence(key)).json()).toMatchObject({
      state: 'done',
      answer: { status: 201 },
    })
    expect(await statusOf(order)).toBe('paid')
  })

  it("does not touch another visitor's same key", async () => {
    await shop.setProviderFaults({ kind: 'lost-after', calls: 1 })
    await shop.pay({ key: randomUUID(), order })
    await shop.pay({ key, order })

    expect((await shop.fence(key, await shop.logIn('jun'))).status).toBe(200)

    expect(await (await shop.lookUp(key)).json()).toEqual({ state: 'waiting' })
  })

  it('refuses what is no key with 400', async () => {
    expect((await shop.fence('a b')).status).toBe(400)
  })

  it('says "running" where the provider may have charged', async () => {
    await shop.setProviderFaults({ kind: 'lost-after', calls: 1 })
    await shop.pay({ key, order })

    expect(await (await shop.fence(key)).json()).toEqual({ state: 'running' })
  })
})
