import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AMOUNT, problemOf, startTestShop, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let order: string
let key: string

beforeAll(async () => {
  shop = await startTestShop({ faults: true, completeEveryMs: 3_600_000 })
})
beforeEach(async () => {
  order = await shop.placeOrder()
  key = randomUUID()
})
afterAll(() => shop.close())

const countRecords = async () =>
  (await shop.database.query('SELECT 1 FROM idempotency_records')).length

describe('POST /payments in front of the layer, where nothing is stored', () => {
  it.each([
    ['missing', undefined, 'idempotency-key-missing'],
    ['empty', '', 'idempotency-key-invalid'],
    ['an empty string', '""', 'idempotency-key-invalid'],
    ['256 characters', 'x'.repeat(256), 'idempotency-key-invalid'],
    ['a space', 'a b', 'idempotency-key-invalid'],
    ['a tab', 'a\tb', 'idempotency-key-invalid'],
    ['Latin-1', 'caf\xe9', 'idempotency-key-invalid'],
  ])('a key that is %s: 400', async (_, wrong, problem) => {
    const before = await countRecords()

    const response = await shop.pay({ key: wrong, order })

    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await problemOf(response)).toBe(problem)
    expect(await countRecords()).toBe(before)
    expect(await shop.ledger(order)).toEqual([])
  })

  it.each([
    ['two lines', ['Idempotency-Key: k1', 'Idempotency-Key: k1']],
    ['two quoted lines', ['Idempotency-Key: "k1"', 'Idempotency-Key: "k1"']],
    ['two lines that quote together', ['Idempotency-Key: "k1', 'Idempotency-Key: k1"']],
    ['a control character', ['Idempotency-Key: k\x011']],
    ['DEL', ['Idempotency-Key: k\x7f1']],
    ['NUL', ['Idempotency-Key: k\x001']],
  ])('a key header of %s: 400', async (_, headers) => {
    const before = await countRecords()

    expect(await statusOfRaw(headers)).toBe(400)
    expect(await countRecords()).toBe(before)
    expect(await shop.ledger(order)).toEqual([])
  })

  function statusOfRaw(headers: string[]): Promise<number> {
    const { hostname, port } = new URL(shop.url)
    const body = JSON.stringify({
      order,
      amount: AMOUNT,
      currency: 'KRW',
      paymentMethod: 'card_ok',
    })
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          [
            'POST /payments HTTP/1.1',
            `Host: ${hostname}`,
            `Authorization: Bearer ${shop.token}`,
            `Content-Length: ${body.length}`,
            ...headers,
            '',
            body,
          ].join('\r\n'),
          'latin1',
        ),
      )
      socket.once('data', data => {
        resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())?.[1]))
        socket.destroy()
      })
      socket.once('error', reject)
    })
  }

  it.each([
    ['not JSON', '{"order":', 'body'],
    ['no object', '"ord_1"', 'body'],
    ['no order', { order: undefined }, 'order'],
    ['a path for an order', { order: '../ord_1' }, 'order'],
    ['an order of 65 characters', { order: 'x'.repeat(65) }, 'order'],
    ['a currency and more', { currency: 'KRWX' }, 'currency'],
    ['an amount of 0', { amount: 0 }, 'amount'],
    ['half a won', { amount: 0.5 }, 'amount'],
    ['an amount in words', { amount: '76000' }, 'amount'],
    ['an amount beyond integers', { amount: 2 ** 53 }, 'amount'],
    ['a currency in small letters', { currency: 'krw' }, 'currency'],
    ['an unknown card', { paymentMethod: 'card_gold' }, 'paymentMethod'],
    ['a member more', { note: 'thanks' }, 'note'],
  ])('%s: 400 names the field', async (_, wrong, field) => {
    const before = await countRecords()
    const right = { order, amount: AMOUNT, currency: 'KRW', paymentMethod: 'card_ok' }
    const body = typeof wrong === 'string' ? wrong : JSON.stringify({ ...right, ...wrong })

    const response = await fetch(`${shop.url}/payments`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${shop.token}`, 'Idempotency-Key': key },
      body,
    })

    expect(response.status).toBe(400)
    const { errors } = (await response.json()) as { errors: { field: string }[] }
    expect(errors.map(error => error.field)).toEqual([field])
    expect(await countRecords()).toBe(before)
  })

  it.each([{ paymentMethod: '4242424242424242' }, { card: '4242424242424242' }])(
    '%j: 400 does not repeat it',
    async wrong => {
      const right = { order, amount: AMOUNT, currency: 'KRW', paymentMethod: 'card_ok' }

      const response = await fetch(`${shop.url}/payments`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${shop.token}`, 'Idempotency-Key': key },
        body: JSON.stringify({ ...right, ...wrong }),
      })

      expect(response.status).toBe(400)
      expect(await response.text()).not.toContain('4242')
    },
  )

  it.each([
    ['{}', ['order', 'amount', 'currency', 'paymentMethod']],
    ['[]', ['body']],
  ])('%s: 400 says of each field what is accepted', async (body, fields) => {
    const response = await fetch(`${shop.url}/payments`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${shop.token}`, 'Idempotency-Key': key },
      body,
    })

    const { errors } = (await response.json()) as { errors: { field: string; accepted: string }[] }
    expect(errors.map(({ field }) => field)).toEqual(fields)
    for (const { accepted } of errors) expect(accepted).not.toMatch(/Invalid/)
  })

  it('no login: 401', async () => {
    const before = await countRecords()

    const response = await shop.pay({ key, order, token: 'nobody' })

    expect(response.status).toBe(401)
    expect(await problemOf(response)).toBe('login-required')
    expect(await countRecords()).toBe(before)
  })

  it('no login and no key: 401, the login comes first', async () => {
    expect((await shop.pay({ key: undefined, order, token: 'nobody' })).status).toBe(401)
  })

  it('more than 16 KiB: 413', async () => {
    const before = await countRecords()

    const response = await shop.pay({ key, order, paymentMethod: 'x'.repeat(16_384) })

    expect(response.status).toBe(413)
    expect(await countRecords()).toBe(before)
  })

  it('a fault that is none: 400', async () => {
    const before = await countRecords()

    const response = await shop.pay({ key, order, headers: { 'Fault-At': 'crash@nowhere' } })

    expect(response.status).toBe(400)
    expect(await countRecords()).toBe(before)
  })
})
