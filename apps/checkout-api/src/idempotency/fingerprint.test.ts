import { describe, expect, it } from 'vitest'
import { fingerprintOf } from './fingerprint.ts'

const input = { order: 'ord_1', amount: 100, nested: { a: 1, b: [1, 2] } }

describe('fingerprintOf', () => {
  it('is 32 bytes that do not depend on the order of members', () => {
    const shuffled = { nested: { b: [1, 2], a: 1 }, amount: 100, order: 'ord_1' }

    expect(fingerprintOf('POST /payments', input)).toHaveLength(32)
    expect(fingerprintOf('POST /payments', shuffled)).toEqual(
      fingerprintOf('POST /payments', input),
    )
  })

  it.each([
    ['another operation', 'POST /orders', input],
    ['another amount', 'POST /payments', { ...input, amount: 101 }],
    ['an amount in words', 'POST /payments', { ...input, amount: '100' }],
    ['another order in a list', 'POST /payments', { ...input, nested: { a: 1, b: [2, 1] } }],
    ['a member more', 'POST /payments', { ...input, note: null }],
  ])('%s gives another fingerprint', (_, operation, other) => {
    expect(fingerprintOf(operation, other)).not.toEqual(fingerprintOf('POST /payments', input))
  })

  it('stays what it was: a stored key has to match after the next release', () => {
    expect(fingerprintOf('POST /payments', { b: 1, a: '€' }).toString('hex')).toMatchInlineSnapshot(
      `"c05d4ba1ebec29776db8264854822066301332d8edde08f3adbd168da3073172"`,
    )
  })
})
