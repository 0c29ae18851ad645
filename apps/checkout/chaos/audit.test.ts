import { describe, expect, it } from 'vitest'
import { audit } from './audit.ts'
import type { Evidence, SeenRequest } from './evidence.ts'

const order = { id: 'ord_1', principal: 'mina', amount: 500, currency: 'KRW', status: 'paid' }
const captured = {
  id: 'ch_1',
  status: 'captured',
  reference: 'ord_1',
  amount: 500,
  currency: 'KRW',
}
const charge = {
  order: 'ord_1',
  effectKey: 'effect-1',
  amount: 500,
  currency: 'KRW',
  status: 'captured',
  providerChargeId: 'ch_1',
}
const record = { key: 'key-a', phase: 'done', order: 'ord_1', status: 201, isCaptured: true }
const request: SeenRequest = {
  checkout: 'checkout-1',
  device: 'first',
  kind: 'pay',
  key: 'key-a',
  order: 'ord_1',
  isCalm: false,
  told: { status: 201, isOwn: true },
}
const sent = { key: 'key-a', state: 'sending', dispatchCount: 1 }
const end = {
  checkout: 'checkout-1',
  device: 'first',
  order: 'ord_1',
  end: 'succeeded',
  shown: 'paid',
  journal: [
    { key: 'key-a', state: 'ready', dispatchCount: 0 },
    sent,
    { ...sent, state: 'succeeded' },
  ],
} as const

/** One order, paid once, and shown as paid. */
const sound: Evidence = {
  orders: [order],
  charges: [charge],
  records: [record],
  ledger: [captured],
  requests: [request],
  ends: [end],
  surprises: [],
}
const lost: SeenRequest = { ...request, fault: 'answer-lost', told: undefined }
const underB = { ...request, key: 'key-b' }
const unpaid: Partial<Evidence> = {
  orders: [{ ...order, status: 'open' }],
  charges: [],
  records: [],
  ledger: [],
}

const kindsIn = (changed: Partial<Evidence>) =>
  audit({ ...sound, ...changed }).map(({ kind }) => kind)

describe('audit', () => {
  it('finds nothing where an order was paid once and is shown as paid', () => {
    expect(audit(sound)).toEqual([])
  })

  it('captured-twice: an order has two captures in the ledger; it says whose story to tell', () => {
    const ledger = [captured, { ...captured, id: 'ch_2' }]

    expect(audit({ ...sound, ledger })).toContainEqual({
      kind: 'captured-twice',
      detail: 'ord_1: ch_1, ch_2',
      checkout: 'checkout-1',
    })
  })

  it('lost-payment: it is shown as paid, and the ledger has nothing', () => {
    expect(kindsIn(unpaid)).toEqual(['lost-payment'])
  })

  it('lost-payment: it is shown as paid and was charged, and the order is open', () => {
    expect(kindsIn({ orders: [{ ...order, status: 'open' }] })).toContain('lost-payment')
  })

  it('refused-key-captured: a key was given up as refused, and its charge was captured', () => {
    const journal = [sent, { ...sent, state: 'rejected' }]

    expect(kindsIn({ ends: [{ ...end, journal }] })).toEqual(['refused-key-captured'])
  })

  it('charged-unshown: an order was charged, and no device shows it as paid', () => {
    const ends = [{ ...end, end: 'rejected', shown: 'choose', journal: [sent] }] as const

    expect(kindsIn({ ends })).toEqual(['charged-unshown'])
  })

  it('an order that another device has paid may be shown as refused on the first', () => {
    const ends = [
      { ...end, end: 'rejected', shown: 'choose', journal: [{ ...sent, key: 'key-b' }] },
      { ...end, device: 'phone' },
    ] as const

    expect(kindsIn({ ends })).toEqual([])
  })

  it('stuck: somebody came back and came to no end', () => {
    const ends = [{ ...end, end: 'stuck', shown: 'unknown', journal: [sent] }] as const

    expect(kindsIn({ ...unpaid, ends })).toEqual(['stuck'])
  })

  it.each([
    ['unsettled-key', { records: [{ ...record, phase: 'started', isCaptured: false }] }],
    ['unsettled-charge', { charges: [charge, { ...charge, status: 'pending' }] }],
  ])('%s: the server has not finished', (kind, changed) => {
    expect(kindsIn(changed)).toEqual([kind])
  })

  it.each(['sending', 'waiting', 'unknown', 'conflict'])(
    'changed-key: the journal has another key after one that is %s',
    state => {
      const journal = [
        { ...sent, state },
        { ...sent, key: 'key-b' },
      ]

      expect(kindsIn({ ends: [{ ...end, journal }] })).toEqual(['changed-key'])
    },
  )

  it.each([
    ['refused', { ...sent, state: 'rejected', key: 'key-0' }],
    ['made and never sent', { key: 'key-0', state: 'ready', dispatchCount: 0 }],
  ])('the journal may have another key after one that was %s', (_, before) => {
    expect(kindsIn({ ends: [{ ...end, journal: [before, ...end.journal] }] })).toEqual([])
  })

  it('changed-key: the front sees another key while nobody knows what came of the first', () => {
    expect(kindsIn({ requests: [lost, underB] })).toEqual(['changed-key'])
  })

  it('changed-key: the first was turned away when it came again, which says nothing of before', () => {
    const again = { ...request, told: { status: 429, isOwn: false } }

    expect(kindsIn({ requests: [lost, again, underB] })).toEqual(['changed-key'])
  })

  it.each([
    ["was told the first key's own refusal", [{ ...request, told: { status: 402, isOwn: true } }]],
    [
      'found the refusal by asking',
      [lost, { ...lost, kind: 'fence', told: { status: 409, isOwn: true, state: 'done' } }],
    ],
    ['was turned away each time', [{ ...request, told: { status: 429, isOwn: false } }]],
  ] as const)('another key may follow where the device %s', (_, before) => {
    expect(kindsIn({ requests: [...before, underB] })).toEqual([])
  })

  it('another device has keys of its own', () => {
    expect(kindsIn({ requests: [lost, { ...underB, device: 'phone' }] })).toEqual([])
  })

  it('key-of-two-orders: one key is sent for two orders', () => {
    const other = { ...request, checkout: 'checkout-2', order: 'ord_2' }

    expect(kindsIn({ requests: [request, other] })).toEqual(['key-of-two-orders'])
  })

  it('reports what the run itself noticed', () => {
    const surprises = [{ kind: 'page-error', detail: 'it threw' }]

    expect(audit({ ...sound, surprises })).toEqual(surprises)
  })
})
