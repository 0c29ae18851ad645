import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningProvider, startProvider } from './provider.ts'
import { lookUp, ORDER, readLedger, sendCharge } from './testing/send-charge.ts'

const DAY_MS = 86_400_000
const EPOCH_MS = Date.parse('2026-07-01T09:00:00.000Z')

let provider: RunningProvider
let url: string
let nowEpochMs = EPOCH_MS
const logged: string[] = []

beforeAll(async () => {
  provider = await startProvider({
    nowEpochMs: () => nowEpochMs,
    log: line => logged.push(line),
  })
  url = provider.url
})
beforeEach(() => {
  nowEpochMs = EPOCH_MS
})
afterAll(() => provider.close())

function post(headers: Record<string, string>, body: string): Promise<Response> {
  return fetch(`${url}/charges`, { method: 'POST', headers, body })
}

describe('POST /charges', () => {
  it('captures', async () => {
    const response = await sendCharge(url, 'captures')

    expect(response.status).toBe(201)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('idempotent-replayed')).toBeNull()
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^ch_[0-9a-f]{24}$/),
      status: 'captured',
      reference: 'ord_1004',
      amount: 76_000,
      currency: 'KRW',
      createdAt: '2026-07-01T09:00:00.000Z',
    })
  })

  it.each([
    ['card_declined', 'insufficient-funds'],
    ['card_expired', 'expired-card'],
  ])('declines %s: 402 and %s, no problem but a result', async (paymentMethod, declineCode) => {
    const response = await sendCharge(url, paymentMethod, { paymentMethod })

    expect(response.status).toBe(402)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^ch_/),
      status: 'declined',
      declineCode,
      reference: 'ord_1004',
      amount: 76_000,
      currency: 'KRW',
      createdAt: '2026-07-01T09:00:00.000Z',
    })
  })

  it.each([
    ['captured', 'card_ok', 201],
    ['declined', 'card_declined', 402],
  ])('repeats a %s answer byte for byte, and charges nothing', async (_, paymentMethod, status) => {
    const reference = `repeat-${status}`
    const first = await sendCharge(url, reference, { reference, paymentMethod })
    nowEpochMs += 1_000
    const second = await sendCharge(url, reference, { reference, paymentMethod })

    expect(second.status).toBe(status)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await second.bytes()).toEqual(await first.bytes())
    expect(await readLedger(url, `?reference=${reference}`)).toHaveLength(1)
  })

  it('takes the same members in another order as the same request', async () => {
    const { reference, amount, currency, paymentMethod } = ORDER
    await sendCharge(url, 'order-of-members')
    const second = await post(
      { 'Idempotency-Key': 'order-of-members' },
      JSON.stringify({ paymentMethod, currency, amount, reference }),
    )

    expect(second.status).toBe(201)
  })

  it.each([
    ['reference', { reference: 'ord_1005' }],
    ['amount', { amount: 76_001 }],
    ['currency', { currency: 'USD' }],
    ['payment method', { paymentMethod: 'card_declined' }],
  ])('refuses another %s under a known key: 422, and the charge stays', async (name, changes) => {
    const key = `mismatch-${name}`.replace(' ', '-')
    const first = await (await sendCharge(url, key)).text()
    const charges = await readLedger(url)

    const response = await sendCharge(url, key, changes)

    expect(response.status).toBe(422)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({
      type: 'https://query-retry.example/problems/idempotency-key-reused',
    })
    expect(await (await lookUp(url, key)).text()).toBe(first)
    expect(await readLedger(url)).toEqual(charges)
  })

  it('makes one charge of 50 requests with one key at once', async () => {
    const reference = 'at-once'
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => sendCharge(url, reference, { reference })),
    )

    expect(new Set(responses.map(response => response.status))).toEqual(new Set([201]))
    expect(responses.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
    const bodies = await Promise.all(responses.map(response => response.text()))
    expect(new Set(bodies).size).toBe(1)
    expect(await readLedger(url, `?reference=${reference}`)).toHaveLength(1)
  })

  it('charges again under a key older than 24 hours; to the millisecond before, it repeats', async () => {
    const reference = 'retention'
    await sendCharge(url, 'retention', { reference })

    nowEpochMs += DAY_MS - 1
    const repeat = await sendCharge(url, 'retention', { reference })
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    nowEpochMs += 1
    const again = await sendCharge(url, 'retention', { reference, amount: 1 })

    expect(again.status).toBe(201)
    expect(again.headers.get('idempotent-replayed')).toBeNull()
    const charges = await readLedger(url, `?reference=${reference}`)
    expect(charges.map(charge => charge.amount)).toEqual([76_000, 1])
    expect(await (await lookUp(url, 'retention')).json()).toEqual(charges[1])
  })
})

describe('POST /charges refuses', () => {
  it.each([
    ['no key', {}, 'idempotency-key-missing'],
    ['an empty key', { 'Idempotency-Key': '' }, 'idempotency-key-invalid'],
    ['a key with a space', { 'Idempotency-Key': 'a b' }, 'idempotency-key-invalid'],
    ['a key of two header lines', { 'Idempotency-Key': 'a, a' }, 'idempotency-key-invalid'],
    ['a key beyond ASCII', { 'Idempotency-Key': 'kéy' }, 'idempotency-key-invalid'],
    ['a key of 256 characters', { 'Idempotency-Key': 'k'.repeat(256) }, 'idempotency-key-invalid'],
  ])('%s', async (_, headers, type) => {
    const response = await post(headers as Record<string, string>, JSON.stringify(ORDER))

    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({
      type: `https://query-retry.example/problems/${type}`,
    })
  })

  it('no key of 255 characters, and takes quotes as a part of it', async () => {
    expect((await sendCharge(url, 'k'.repeat(255))).status).toBe(201)
    await sendCharge(url, '"quoted"')
    expect((await lookUp(url, 'quoted')).status).toBe(404)
    expect((await lookUp(url, '"quoted"')).status).toBe(200)
  })

  const AMOUNT = "a whole number from 1 to 9007199254740991, in the currency's minor unit"
  const CURRENCY = 'three capital letters, for example "KRW"'
  const REFERENCE = '1 to 100 visible ASCII characters'
  const METHOD = '"card_ok", "card_declined", "card_expired"'

  it.each([
    ['amount', '0', '0', AMOUNT],
    ['amount', '-1', '-1', AMOUNT],
    ['amount', '0.5', '0.5', AMOUNT],
    ['amount', '9007199254740992', '9007199254740992', AMOUNT],
    ['amount', '1e999', 'Infinity', AMOUNT],
    ['amount', '"1"', '"1"', AMOUNT],
    ['amount', 'null', 'null', AMOUNT],
    ['amount', undefined, 'undefined', AMOUNT],
    ['currency', '"krw"', '"krw"', CURRENCY],
    ['currency', '"KR"', '"KR"', CURRENCY],
    ['currency', '"KRW\\n"', '"KRW\\n"', CURRENCY],
    ['currency', '410', '410', CURRENCY],
    ['currency', undefined, 'undefined', CURRENCY],
    ['reference', '""', '""', REFERENCE],
    ['reference', '"ord 1"', '"ord 1"', REFERENCE],
    ['reference', '"주문"', '"주문"', REFERENCE],
    ['reference', `"${'r'.repeat(101)}"`, `"${'r'.repeat(99)}`, REFERENCE],
    ['reference', undefined, 'undefined', REFERENCE],
    ['paymentMethod', '"4242424242424242"', 'not shown', METHOD],
    ['paymentMethod', '"toString"', 'not shown', METHOD],
    ['paymentMethod', 'null', 'not shown', METHOD],
    ['paymentMethod', undefined, 'not shown', METHOD],
    ['tip', '1', 'not shown', 'no such field'],
  ])('%s %s', async (field, json, value, accepted) => {
    const members = Object.entries(ORDER)
      .filter(([name]) => name !== field)
      .map(([name, member]) => `"${name}":${JSON.stringify(member)}`)
    if (json !== undefined) members.push(`"${field}":${json}`)

    const response = await post({ 'Idempotency-Key': 'refused' }, `{${members}}`)

    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect((await response.json()).errors).toEqual([{ field, value, accepted }])
    expect((await lookUp(url, 'refused')).status).toBe(404)
  })

  it.each([
    ['', 'not JSON'],
    ['{"reference":', 'not JSON'],
    ['null', 'null'],
    ['"card_ok"', '"card_ok"'],
  ])('the body %j', async (body, value) => {
    const response = await post({ 'Idempotency-Key': 'refused' }, body)

    expect(response.status).toBe(400)
    expect((await response.json()).errors).toEqual([
      { field: 'body', value, accepted: 'a charge as a JSON object' },
    ])
  })

  it('more than 16 KiB: 413', async () => {
    const response = await post({ 'Idempotency-Key': 'refused' }, ' '.repeat(16_385))
    expect(response.status).toBe(413)
  })

  it('never repeats a payment method that it does not know', async () => {
    const response = await sendCharge(url, 'card-number', { paymentMethod: '4242424242424242' })
    expect(await response.text()).not.toContain('4242')
  })
})

describe('GET /charges/by-key/:key', () => {
  it('finds a captured and a declined charge, byte for byte and for ever', async () => {
    for (const paymentMethod of ['card_ok', 'card_declined']) {
      const key = `found-${paymentMethod}`
      const charged = await sendCharge(url, key, { paymentMethod })
      nowEpochMs += 400 * DAY_MS

      const found = await lookUp(url, key)

      expect(found.status).toBe(200)
      expect(await found.text()).toBe(await charged.text())
    }
  })

  it('says 404 of a key that charged nothing', async () => {
    const response = await lookUp(url, 'never-used')

    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({
      type: 'https://query-retry.example/problems/charge-not-found',
    })
  })

  it('finds a key of signs that mean something in an address', async () => {
    const key = 'a/b%2F%25?#&+=;:@"~'
    const charged = await (await sendCharge(url, key)).text()

    expect(await (await lookUp(url, key)).text()).toBe(charged)
  })
})

describe('GET /ledger', () => {
  it('lists every charge in order of time, of one order or all, and no key', async () => {
    await sendCharge(url, 'secret-key-1', { reference: 'listed' })
    nowEpochMs += 1
    await sendCharge(url, 'secret-key-2', { reference: 'listed', paymentMethod: 'card_expired' })

    const own = await readLedger(url, '?reference=listed')
    const all = await readLedger(url)

    expect(own.map(charge => charge.status)).toEqual(['captured', 'declined'])
    expect(all.slice(-2)).toEqual(own)
    expect(await readLedger(url, '?reference=nobody')).toEqual([])
    const text = await (await fetch(`${url}/ledger`)).text()
    expect(text).not.toMatch(/secret-key|card_|fingerprint/)
  })

  it('may be read by a page of this machine; charging is for servers', async () => {
    const headers = { Origin: 'http://localhost:5173' }
    const ledger = await fetch(`${url}/ledger`, { headers })
    const charge = await fetch(`${url}/charges`, { method: 'OPTIONS', headers })

    expect(ledger.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    expect(charge.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('the rest', () => {
  it('GET /health', async () => {
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' })
  })

  it.each(['GET', 'PUT', 'DELETE'])('%s /charges is not there: 404', async method => {
    expect((await fetch(`${url}/charges`, { method })).status).toBe(404)
  })

  it('survives what is no HTTP at all', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.end('POST /charges HTTP/1.1\r\nContent-Length: nonsense\r\n\r\n')
    await new Promise(resolve => socket.on('close', resolve).resume())

    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  it('logged nothing of all this', () => {
    expect(logged).toEqual([])
  })
})
