import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { transition } from './intent-machine.ts'
import { decodeIntent, type IntentRecord, intentId } from './intent-record.ts'

const INTENT = { principal: 'ann', operation: 'pay', subject: ['order', 7] }
const record = transition(
  undefined,
  {
    type: 'submit',
    intent: INTENT,
    fingerprint: 'fp',
    resendWindowMs: 1_000,
    nowEpochMs: 5,
    principal: 'ann',
  },
  () => 'key-1',
).record as IntentRecord

describe('intentId', () => {
  it('gives different identities different names, separators and quotes in them included', () => {
    const texts = fc.string({
      minLength: 1,
      unit: fc.constantFrom('a', '"', ',', '\\', '[', ' ', '\ud800'),
    })
    const identity = fc.record({
      principal: texts,
      operation: texts,
      subject: fc.array(texts, { minLength: 1, maxLength: 3 }),
    })
    fc.assert(
      fc.property(identity, identity, (a, b) => {
        const isSame = JSON.stringify(a) === JSON.stringify(b)
        expect(intentId(a) === intentId(b)).toBe(isSame)
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes 7 and "7" for one order: two keys for it would be two charges', () => {
    expect(intentId({ ...INTENT, subject: ['order', '7'] })).toBe(intentId(INTENT))
  })

  it.each([
    ['principal', { principal: '' }],
    ['principal', { principal: undefined }],
    ['operation', { operation: null }],
    ['subject', { subject: [] }],
    ['subject', { subject: 'order-7' }],
    ['subject', { subject: ['order', undefined] }],
    ['subject', { subject: ['order', ''] }],
    ['subject', { subject: ['order', NaN] }],
    ['subject', { subject: ['order', 0.1] }],
    ['subject', { subject: ['order', 2 ** 53] }],
    ['subject', { subject: ['order', { id: 7 }] }],
  ])('refuses a %s that names nothing: %o', (field, part) => {
    const identity = { ...INTENT, ...part } as typeof INTENT
    expect(() => intentId(identity)).toThrow(
      expect.objectContaining({ code: 'INTENT_IDENTITY', at: field }),
    )
  })

  it('says in development which option it is, and what it has to be', () => {
    expect(() => intentId({ ...INTENT, operation: '' })).toThrow('`mutationKey` has to name')
    expect(() => intentId({ ...INTENT, subject: [''] })).toThrow('`intent` has to return a path')
    expect(() => intentId({ ...INTENT, principal: '' })).toThrow('`principal` has to be')
  })
})

describe('decodeIntent', () => {
  it('gives back the record that was written', () => {
    const settled = { ...record, result: { id: 'pay_1', lines: [1, null] } }
    expect(decodeIntent(record.id, JSON.stringify(settled))).toEqual(settled)
  })

  it.each([
    '',
    'null',
    '[]',
    '"text"',
    '{}',
    '{"version":1}',
    JSON.stringify({ ...record, version: 2 }),
    JSON.stringify({ ...record, principal: 'bob' }),
    JSON.stringify({ ...record, operation: undefined }),
    JSON.stringify({ ...record, subject: ['order', '8'] }),
    JSON.stringify({ ...record, key: '' }),
    JSON.stringify(record).slice(0, -1),
  ])('reads nothing from %s', text => {
    expect(decodeIntent(record.id, text)).toBeUndefined()
  })

  it('reads any text without a throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        expect(decodeIntent(record.id, text)).toBeUndefined()
      }),
    )
  })
})
