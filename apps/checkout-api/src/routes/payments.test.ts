import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Gate } from '../testing/gate.ts'
import { AMOUNT, problemOf, startTestShop, type TestShop } from '../testing/test-shop.ts'

const gate = new Gate()
let shop: TestShop
let order: string
let key: string

beforeAll(async () => {
  // The completer stays out of it: what a test leaves half done stays half done.
  shop = await startTestShop(
    { faults: true, completeEveryMs: 3_600_000 },
    {
      provider: provider => ({
        ...provider,
        async charge(effectKey, charge) {
          await gate.pass()
          return provider.charge(effectKey, charge)
        },
      }),
    },
  )
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

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer())
}

describe('POST /payments', () => {
  it('charges the order once and says so: 201, a location, marked as completed', async () => {
    const response = await shop.pay({ key, order })

    expect(response.status).toBe(201)
    expect(response.headers.get('idempotency-status')).toBe('completed')
    expect(response.headers.get('idempotent-replayed')).toBeNull()
    expect(response.headers.get('cache-control')).toBe('no-store')
    const payment = (await response.json()) as { id: string }
    expect(payment).toEqual({
      id: expect.stringMatching(/^pay_[0-9a-f]{24}$/),
      order,
      status: 'captured',
      total: { amount: AMOUNT, currency: 'KRW' },
      paidAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    expect(response.headers.get('location')).toBe(`/payments/${payment.id}`)
    expect(response.headers.get('link')).toBe(`</orders/${order}>; rel="related"`)
    expect(await statusOf(order)).toBe('paid')
    expect(await shop.ledger(order)).toMatchObject([{ status: 'captured', amount: AMOUNT }])
  })

  it('repeats the answer byte for byte, marked as replayed', async () => {
    const first = await shop.pay({ key, order })
    const second = await shop.pay({ key, order })

    expect(second.status).toBe(201)
    expect(second.headers.get('idempotency-status')).toBe('replayed')
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    for (const name of ['content-type', 'location', 'link'])
      expect(second.headers.get(name)).toBe(first.headers.get(name))
    expect(await bytesOf(second)).toEqual(await bytesOf(first))
    expect(await shop.ledger(order)).toHaveLength(1)
  })

  it('takes abc and "abc" for one key', async () => {
    await shop.pay({ key, order })

    const quoted = await shop.pay({ key: `"${key}"`, order })

    expect(quoted.headers.get('idempotency-status')).toBe('replayed')
  })

  it('does not care about the order of the members', async () => {
    await shop.pay({ key, order })
    const shuffled = { paymentMethod: 'card_ok', currency: 'KRW', order, amount: AMOUNT }

    const response = await fetch(`${shop.url}/payments`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${shop.token}`, 'Idempotency-Key': key },
      body: JSON.stringify(shuffled, null, 2),
    })

    expect(response.headers.get('idempotency-status')).toBe('replayed')
  })

  it("keeps another visitor's same key apart", async () => {
    const jun = await shop.logIn('jun')
    const theirs = await shop.placeOrder('jun')

    const mine = await shop.pay({ key, order })
    const other = await shop.pay({ key, order: theirs, token: jun })

    expect([mine.status, other.status]).toEqual([201, 201])
    expect(other.headers.get('idempotency-status')).toBe('completed')
    expect(await shop.ledger(theirs)).toHaveLength(1)
  })

  describe('the same key for something else: 422, the original unharmed', () => {
    it.each([
      ['another amount', { amount: 1 }],
      ['another card', { paymentMethod: 'card_declined' }],
    ])('%s, after it', async (_, other) => {
      const first = await shop.pay({ key, order })

      const wrong = await shop.pay({ key, order, ...other })

      expect(wrong.status).toBe(422)
      expect(await problemOf(wrong)).toBe('key-mismatch')
      expect(wrong.headers.get('idempotency-status')).toBeNull()
      expect(await bytesOf(await shop.pay({ key, order }))).toEqual(await bytesOf(first))
      expect(await shop.ledger(order)).toHaveLength(1)
    })

    it('another amount, while it runs', async () => {
      const running = await startHeldPayment()

      const wrong = await shop.pay({ key, order, amount: 1 })

      expect(await problemOf(wrong)).toBe('key-mismatch')
      expect((await running.goOn()).status).toBe(201)
      expect(await shop.ledger(order)).toHaveLength(1)
    })

    it('another route, both ways', async () => {
      const other = randomUUID()
      await shop.pay({ key, order })
      const placed = await shop.placeCart(other)

      expect(placed.status).toBe(201)
      expect(await problemOf(await shop.placeCart(key))).toBe('key-mismatch')
      expect(await problemOf(await shop.pay({ key: other, order }))).toBe('key-mismatch')
      expect((await shop.placeCart(other)).headers.get('idempotency-status')).toBe('replayed')
      expect((await shop.pay({ key, order })).headers.get('idempotency-status')).toBe('replayed')
    })
  })

  it('the same request while the first runs: 409 in progress, with a time to look again', async () => {
    const running = await startHeldPayment()

    const second = await shop.pay({ key, order })

    expect(second.status).toBe(409)
    expect(second.headers.get('retry-after')).toBe('1')
    expect(await problemOf(second)).toBe('request-in-progress')
    expect((await running.goOn()).status).toBe(201)
  })

  describe('what the order says', () => {
    it.each([
      ['another price: 409 with the right one', { amount: AMOUNT - 1 }, 409, 'order-changed'],
      ['no such order: 404', { order: 'ord_9999' }, 404, 'order-not-found'],
      ["another visitor's order: 404", { order: 'of-jun' }, 404, 'order-not-found'],
      ['a cancelled order: 409', { order: 'ord_1003', amount: 58_000 }, 409, 'order-cancelled'],
      ['a paid order: 409', { order: 'ord_1001', amount: 78_000 }, 409, 'order-already-paid'],
    ])('%s, stored, no charge', async (_, other, status, problem) => {
      const theirs = await shop.placeOrder('jun')
      const wanted = { key, order, ...other }
      if (wanted.order === 'of-jun') wanted.order = theirs

      const first = await shop.pay(wanted)
      const second = await shop.pay(wanted)

      expect([first.status, second.status]).toEqual([status, status])
      expect(await problemOf(first)).toBe(problem)
      expect(second.headers.get('idempotency-status')).toBe('replayed')
      expect(await shop.ledger(wanted.order)).toEqual([])
    })

    it('paid under another key: 409 with the payment that paid it', async () => {
      const { id } = (await (await shop.pay({ key, order })).json()) as { id: string }

      const second = await shop.pay({ key: randomUUID(), order })

      expect(second.status).toBe(409)
      expect(await second.json()).toMatchObject({
        type: 'https://query-retry.example/problems/order-already-paid',
        payment: `/payments/${id}`,
      })
      expect(await shop.ledger(order)).toHaveLength(1)
    })

    it('being paid under another key: 409 order busy, not stored; and paid by it in the end', async () => {
      const other = randomUUID()
      const running = await startHeldPayment()

      const busy = await shop.pay({ key: other, order })

      expect(busy.status).toBe(409)
      expect(busy.headers.get('retry-after')).toBe('2')
      expect(busy.headers.get('idempotency-status')).toBeNull()
      expect(await problemOf(busy)).toBe('order-busy')
      expect((await running.goOn()).status).toBe(201)
      expect(await problemOf(await shop.pay({ key: other, order }))).toBe('order-already-paid')
      expect(await shop.ledger(order)).toHaveLength(1)
    })
  })

  describe('what the provider says', () => {
    it('declined: 402, stored; a new key may pay the same order', async () => {
      const first = await shop.pay({ key, order, paymentMethod: 'card_declined' })
      const again = await shop.pay({ key, order, paymentMethod: 'card_declined' })
      const other = await shop.pay({ key: randomUUID(), order })

      expect(first.status).toBe(402)
      expect(await first.json()).toMatchObject({
        type: 'https://query-retry.example/problems/payment-declined',
        declineCode: 'insufficient-funds',
      })
      expect(again.headers.get('idempotency-status')).toBe('replayed')
      expect(other.status).toBe(201)
      expect((await shop.ledger(order)).map(charge => charge.status)).toEqual([
        'declined',
        'captured',
      ])
      expect(await statusOf(order)).toBe('paid')
    })

    it.each([
      ['charged, and the answer was lost', { kind: 'lost-after' }],
      ['lost the request', { kind: 'lost-before' }],
      ['is down', { kind: 'down' }],
      ['charges late', { kind: 'late-apply', delayMs: 300 }],
    ])(
      '%s: 503 outcome unknown, not stored; the same key settles it with one charge',
      async (_, fault) => {
        await shop.setProviderFaults({ ...fault, calls: 1 })

        const unknown = await shop.pay({ key, order })
        const settled = await shop.pay({ key, order })

        expect(unknown.status).toBe(503)
        expect(unknown.headers.get('retry-after')).toBe('2')
        expect(unknown.headers.get('idempotency-status')).toBeNull()
        expect(await problemOf(unknown)).toBe('outcome-unknown')
        expect(settled.status).toBe(201)
        expect(settled.headers.get('idempotency-status')).toBe('completed')
        expect(await shop.ledger(order)).toMatchObject([{ status: 'captured' }])
      },
    )

    it('keeps the order for itself while its outcome is unknown', async () => {
      await shop.setProviderFaults({ kind: 'lost-after', calls: 1 })
      await shop.pay({ key, order })

      const other = await shop.pay({ key: randomUUID(), order })

      expect(await problemOf(other)).toBe('order-busy')
      expect(await shop.ledger(order)).toHaveLength(1)
    })
  })

  it('50 first requests at once: one execution, one 201 completed, the rest 409 or a replay', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => shop.pay({ key, order })))

    const outcomes = responses.map(response => ({
      status: response.status,
      mark: response.headers.get('idempotency-status'),
    }))
    expect(outcomes.filter(({ mark }) => mark === 'completed')).toEqual([
      { status: 201, mark: 'completed' },
    ])
    for (const { status, mark } of outcomes)
      expect(mark === null ? status === 409 : status === 201).toBe(true)
    const bodies = await Promise.all(responses.filter(({ ok }) => ok).map(bytesOf))
    expect(new Set(bodies.map(body => body.toString())).size).toBe(1)
    expect(await shop.ledger(order)).toHaveLength(1)
  })

  it('50 different keys at once for one order: one charge', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => shop.pay({ key: randomUUID(), order })),
    )

    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(49)
    expect(await shop.ledger(order)).toHaveLength(1)
  })

  it('writes no key into the log or the call report', async () => {
    await shop.setProviderFaults({ kind: 'lost-after', calls: 1 })
    await shop.pay({ key, order })
    await shop.lookUp(key)
    await shop.fence(key)

    const report = await (await fetch(`${shop.url}/faults/calls`)).text()
    expect(report).toContain('/payments/by-key/:key')
    expect(report).not.toContain(key)
    expect(shop.lines.join('\n')).not.toContain(key)
  })
})

describe('GET /payments/:id', () => {
  it('shows what was answered, to the visitor who paid and to nobody else', async () => {
    const paid = (await (await shop.pay({ key, order })).json()) as { id: string }
    const ask = (token: string, id = paid.id) =>
      fetch(`${shop.url}/payments/${id}`, { headers: { Authorization: `Bearer ${token}` } })

    const mine = await ask(shop.token)
    expect(mine.status).toBe(200)
    expect(await mine.json()).toEqual(paid)
    expect((await ask(await shop.logIn('jun'))).status).toBe(404)
    expect((await ask('nobody')).status).toBe(401)
    expect((await ask(shop.token, 'pay_0')).status).toBe(404)
    expect((await ask(shop.token, '%00')).status).toBe(404)
  })

  it('does not know a declined one', async () => {
    await shop.pay({ key, order, paymentMethod: 'card_declined' })
    const [charge] = await shop.database.query<{ id: string }>(
      'SELECT id FROM charges WHERE order_id = $1',
      [order],
    )

    const response = await fetch(`${shop.url}/payments/${charge?.id}`, {
      headers: { Authorization: `Bearer ${shop.token}` },
    })

    expect(await problemOf(response)).toBe('payment-not-found')
  })
})

/** A payment that has begun, and stands before the provider until it may go on. */
async function startHeldPayment() {
  const arrived = gate.close()
  const answer = shop.pay({ key, order })
  await arrived
  return {
    goOn() {
      gate.open()
      return answer
    },
  }
}
