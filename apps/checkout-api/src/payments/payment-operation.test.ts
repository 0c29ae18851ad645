import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AMOUNT, problemOf, startTestShop, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let order: string
let key: string

beforeAll(async () => {
  // Without faults, as it is in earnest; the completer stays out of it.
  shop = await startTestShop({ completeEveryMs: 3_600_000 })
})
beforeEach(async () => {
  await shop.setProviderFaults()
  order = await shop.placeOrder()
  key = randomUUID()
})
afterAll(() => shop.close())

const chargesOf = (id: string) =>
  shop.database.query<Record<string, unknown>>(
    'SELECT * FROM charges WHERE order_id = $1 ORDER BY created_at',
    [id],
  )

/** How many sessions of the shop's database wait for a lock. */
const countOfWaiting = async () =>
  (
    await shop.database.query(
      `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
  ).length

const payRaw = (body: object) =>
  fetch(`${shop.url}/payments`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${shop.token}`, 'Idempotency-Key': key },
    body: JSON.stringify({
      order,
      amount: AMOUNT,
      currency: 'KRW',
      paymentMethod: 'card_ok',
      ...body,
    }),
  })

describe('an order that cannot be paid like that', () => {
  it('costs something else: 409 says what, and links to the order', async () => {
    const response = await shop.pay({ key, order, amount: AMOUNT - 1 })

    expect(response.headers.get('link')).toBe(`</orders/${order}>; rel="related"`)
    expect(await response.json()).toMatchObject({
      order,
      total: { amount: AMOUNT, currency: 'KRW' },
    })
  })

  it('the same number in another currency is another price', async () => {
    expect(await problemOf(await payRaw({ currency: 'USD' }))).toBe('order-changed')
    expect(await shop.ledger(order)).toEqual([])
  })

  it.each([
    ['cancelled', 'ord_1003', 'order-cancelled'],
    ['paid', 'ord_1001', 'order-already-paid'],
  ])(
    '%s: says so before it speaks of the price, and links to the order',
    async (_, id, problem) => {
      const response = await shop.pay({ key, order: id, amount: 1 })

      expect(response.headers.get('link')).toBe(`</orders/${id}>; rel="related"`)
      expect(await problemOf(response)).toBe(problem)
    },
  )

  // The embedded database has one session: nothing happens while another transaction is open.
  it.runIf(process.env.TEST_DATABASE_URL)(
    'is being cancelled just now: waits for that, and charges nothing',
    async () => {
      let paying: Promise<Response> | undefined

      await shop.database.transaction(async session => {
        await session.query("UPDATE orders SET status = 'cancelled' WHERE id = $1", [order])
        paying = shop.pay({ key, order })
        await expect.poll(countOfWaiting).toBe(1)
      })

      expect(await problemOf((await paying) as Response)).toBe('order-cancelled')
      expect(await shop.ledger(order)).toEqual([])
    },
  )

  it('paid after a decline: 409 names the payment that paid it, not the declined one', async () => {
    await shop.pay({ key, order, paymentMethod: 'card_declined' })
    const paid = await shop.pay({ key: randomUUID(), order })
    const { id } = (await paid.json()) as { id: string }

    const late = await shop.pay({ key: randomUUID(), order })

    expect(await late.json()).toMatchObject({ payment: `/payments/${id}` })
  })
})

describe('what is written down of a charge', () => {
  it('captured: what the provider calls it, and when', async () => {
    await shop.pay({ key, order })

    const [{ id } = { id: '' }] = await shop.ledger(order)
    expect(await chargesOf(order)).toMatchObject([
      {
        status: 'captured',
        amount: AMOUNT,
        currency: 'KRW',
        provider_charge_id: id,
        decline_code: null,
        settled_at: expect.any(Date),
      },
    ])
  })

  it('declined: why; the answer says it, too, and links to the order', async () => {
    const response = await shop.pay({ key, order, paymentMethod: 'card_expired' })

    const answer = (await response.json()) as { order: string; declineCode: string }
    const { declineCode } = answer
    expect(answer.order).toBe(order)
    expect(response.headers.get('link')).toBe(`</orders/${order}>; rel="related"`)
    expect(await chargesOf(order)).toMatchObject([
      { status: 'declined', decline_code: declineCode, settled_at: expect.any(Date) },
    ])
  })

  it('its id says nothing about the key that the provider got', async () => {
    const { id } = (await (await shop.pay({ key, order })).json()) as { id: string }

    const [{ effect_key: effectKey } = { effect_key: '' }] = await chargesOf(order)
    expect(String(effectKey).replaceAll('-', '')).not.toContain(id.replace('pay_', '').slice(0, 8))
  })

  it('an order has one charge that counts, whatever the code says', async () => {
    const insert = () =>
      shop.database.query(
        `INSERT INTO charges (id, order_id, effect_key, amount, currency, status)
         VALUES ($1, $2, gen_random_uuid(), 1, 'KRW', 'pending')`,
        [randomUUID(), order],
      )
    await insert()

    await expect(insert()).rejects.toThrow('one_live_charge_per_order')
  })
})

describe('a payment whose outcome was unknown for 21 hours', () => {
  const age = () =>
    shop.database.query(
      `UPDATE idempotency_records SET started_at = started_at - interval '21 hours' WHERE key = $1`,
      [key],
    )

  it('is looked up at the provider and found: 201', async () => {
    await shop.setProviderFaults({ kind: 'lost-after', calls: 1 })
    await shop.pay({ key, order })
    await age()

    const found = await shop.pay({ key, order })

    expect(found.status).toBe(201)
    expect(found.headers.get('idempotency-status')).toBe('completed')
    expect(await shop.ledger(order)).toMatchObject([{ status: 'captured' }])
  })

  it('is not charged where the provider knows nothing of it: under review', async () => {
    await shop.setProviderFaults({ kind: 'lost-before', calls: 1 })
    await shop.pay({ key, order })
    await age()

    expect(await problemOf(await shop.pay({ key, order }))).toBe('under-review')
    expect(await (await shop.lookUp(key)).json()).toEqual({ state: 'review' })
    expect(await shop.ledger(order)).toEqual([])
  })
})

describe('a server without faults', () => {
  it('does not read the header that makes a worker fail', async () => {
    // With faults this would be 400; `crash@started` would end the test's own process.
    const paid = await shop.pay({ key, order, headers: { 'Fault-At': 'crash@nowhere' } })

    expect(paid.status).toBe(201)
  })
})
