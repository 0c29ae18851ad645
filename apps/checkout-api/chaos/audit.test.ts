import { describe, expect, it } from 'vitest'
import { audit } from './audit.ts'
import type { Evidence } from './evidence.ts'

const EFFECT_KEY = '5f0c3d7e-8a41-4c7d-9b1e-0a2b3c4d5e6f'
const request = { order: 'chaos-1', amount: 500, currency: 'KRW', paymentMethod: 'card_ok' }
const paidBody = 'aa11'
const fencedBody = 'bb22'

const order = { id: 'chaos-1', principal: 'mina', amount: 500, currency: 'KRW', status: 'paid' }
const charge = {
  order: 'chaos-1',
  effectKey: EFFECT_KEY,
  amount: 500,
  currency: 'KRW',
  status: 'captured',
  providerChargeId: 'ch_1',
}
const record = {
  principal: 'mina',
  key: 'key-a',
  phase: 'done',
  willResume: false,
  effectKey: EFFECT_KEY,
  // As PostgreSQL gives jsonb back: members in another order.
  request: { amount: 500, currency: 'KRW', order: 'chaos-1', paymentMethod: 'card_ok' },
  status: 201,
  bodySha256: paidBody,
  isCaptured: true,
}
const captured = {
  id: 'ch_1',
  status: 'captured',
  reference: 'chaos-1',
  amount: 500,
  currency: 'KRW',
}
const answer = {
  principal: 'mina',
  key: 'key-a',
  via: 'payment',
  status: 201,
  bodySha256: paidBody,
  isCompletion: true,
} as const

/** One order, paid once and heard of twice. */
const sound: Evidence = {
  orders: [order],
  charges: [charge],
  records: [record],
  ledger: [captured],
  answers: [answer, { ...answer, via: 'look-up', isCompletion: false }],
  plannedKeys: [{ principal: 'mina', key: 'key-a', request, isInsisted: true }],
  clients: [{ client: 'chaos-1 a1', end: 'answered' }],
  lines: ["The shop's server answers at http://127.0.0.1:8787"],
  surprises: [],
}

const kindsIn = (changed: Partial<Evidence>) =>
  audit({ ...sound, ...changed }).map(({ kind }) => kind)

describe('audit', () => {
  it('finds nothing where an order was paid once and everybody was told so', () => {
    expect(audit(sound)).toEqual([])
  })

  it('captured-twice: an order has two captures in the ledger', () => {
    const ledger = [captured, { ...captured, id: 'ch_2' }]

    expect(audit({ ...sound, ledger })).toContainEqual({
      kind: 'captured-twice',
      detail: 'chaos-1: ch_1, ch_2',
    })
  })

  it('a declined charge beside a capture is no second one', () => {
    expect(
      kindsIn({ ledger: [captured, { ...captured, id: 'ch_2', status: 'declined' }] }),
    ).toEqual([])
  })

  it('paid-without-capture: an order is paid and the ledger knows nothing of it', () => {
    expect(kindsIn({ ledger: [], records: [{ ...record, isCaptured: false }] })).toEqual([
      'paid-without-capture',
    ])
  })

  it.each([
    ['the order is open', { orders: [{ ...order, status: 'open' }] }],
    ['the shop has no charge', { charges: [] }],
    ["the shop's charge is declined", { charges: [{ ...charge, status: 'declined' }] }],
    ["the shop's charge is another one", { charges: [{ ...charge, providerChargeId: 'ch_9' }] }],
  ])('captured-without-payment: the ledger has a capture and %s', (_, changed) => {
    expect(kindsIn(changed)).toContain('captured-without-payment')
  })

  it.each([
    ['amount', { amount: 501 }],
    ['currency', { currency: 'USD' }],
  ])('wrong-amount: the %s captured is not what the order costs', (_, changed) => {
    expect(kindsIn({ ledger: [{ ...captured, ...changed }] })).toEqual(['wrong-amount'])
  })

  it.each([
    ['another status', { ...answer, status: 409 }],
    ['other bytes', { ...answer, bodySha256: fencedBody }],
  ])('two-answers: two clients were told %s under one key', (_, other) => {
    expect(kindsIn({ answers: [answer, other] })).toContain('two-answers')
  })

  it('two-answers: what a client was told is not what is stored', () => {
    expect(kindsIn({ records: [{ ...record, bodySha256: fencedBody }] })).toEqual(['two-answers'])
  })

  it('two-answers: a client was told an answer, and the key is forgotten', () => {
    expect(kindsIn({ records: [] })).toEqual(['two-answers'])
  })

  it('completed-twice: two requests under one key were each told to be the one', () => {
    expect(kindsIn({ answers: [answer, answer] })).toEqual(['completed-twice'])
  })

  it('the same key of two principals may have two answers', () => {
    const otherOrder = { ...order, id: 'chaos-2', principal: 'jun', status: 'paid' }
    const others: Partial<Evidence> = {
      orders: [order, otherOrder],
      charges: [charge, { ...charge, order: 'chaos-2', providerChargeId: 'ch_2' }],
      ledger: [captured, { ...captured, id: 'ch_2', reference: 'chaos-2' }],
      records: [
        record,
        {
          ...record,
          principal: 'jun',
          request: { ...request, order: 'chaos-2' },
          bodySha256: 'cc',
        },
      ],
      answers: [answer, { ...answer, principal: 'jun', bodySha256: 'cc' }],
      plannedKeys: [
        ...sound.plannedKeys,
        {
          principal: 'jun',
          key: 'key-a',
          request: { ...request, order: 'chaos-2' },
          isInsisted: true,
        },
      ],
    }

    expect(kindsIn(others)).toEqual([])
  })

  it.each([
    [
      'a client was told that it is burnt',
      { ...answer, via: 'fence', status: 409 } as const,
      record,
    ],
    ['its stored answer is a decline', answer, { ...record, status: 402 }],
  ])('refused-key-captured: %s, and its charge was captured', (_, told, stored) => {
    expect(kindsIn({ answers: [told], records: [stored] })).toContain('refused-key-captured')
  })

  it('wrong-payload-executed: the key was claimed by a request that was not its own', () => {
    const wrong = { ...record, request: { ...request, paymentMethod: 'card_expired' } }

    expect(kindsIn({ records: [wrong] })).toEqual(['wrong-payload-executed'])
  })

  it('a key that was burnt before any request came has none', () => {
    expect(kindsIn({ records: [{ ...record, request: null }] })).toEqual([])
  })

  it.each([
    ['started', true],
    ['started', false],
    ['review', false],
    ['claimed', true],
    ['claimed', false],
  ])('unsettled-key: the key is %s (goes on by itself: %s)', (phase, willResume) => {
    const open = { ...record, phase, willResume, status: null, bodySha256: null }

    expect(kindsIn({ records: [open], answers: [] })).toEqual(['unsettled-key'])
  })

  it('a key that began nothing may wait for clients who all left', () => {
    const waiting = { ...record, phase: 'claimed', status: null, bodySha256: null }
    const plannedKeys = sound.plannedKeys.map(key => ({ ...key, isInsisted: false }))

    expect(kindsIn({ records: [waiting], answers: [], plannedKeys })).toEqual([])
  })

  it('unsettled-charge: a charge is pending', () => {
    const pending = { ...charge, effectKey: 'another', status: 'pending', providerChargeId: null }

    expect(kindsIn({ charges: [charge, pending] })).toEqual(['unsettled-charge'])
  })

  it('unsettled-order: an order is not paid', () => {
    const changed = { orders: [{ ...order, status: 'open' }], charges: [], ledger: [] }

    expect(kindsIn(changed)).toEqual(['unsettled-order'])
  })

  it('unsettled-client: somebody never had an answer', () => {
    expect(kindsIn({ clients: [{ client: 'chaos-1 a1', end: 'gave-up' }] })).toEqual([
      'unsettled-client',
    ])
  })

  it.each([
    ['of a client', 'POST /payments (key-a) failed'],
    ['for the provider', `charge ${EFFECT_KEY}: timeout`],
    ['in quotes', '{"Idempotency-Key":"key-a"}'],
  ])('key-in-log: a process printed a key %s', (_, line) => {
    expect(audit({ ...sound, lines: [line] })).toEqual([{ kind: 'key-in-log', detail: line }])
  })

  it('a word that only contains a key is none', () => {
    expect(kindsIn({ lines: ['monkey-a and key-ab'] })).toEqual([])
  })

  it('passes on what surprised the run itself', () => {
    const surprise = { kind: 'unexpected', detail: 'a worker ended by itself (1)' } as const

    expect(audit({ ...sound, surprises: [surprise] })).toEqual([surprise])
  })
})
