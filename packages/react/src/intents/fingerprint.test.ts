import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { fingerprintOf } from './fingerprint.ts'

const of = (variables: unknown) => fingerprintOf('["ann","pay","order","7"]', variables)

/** The same JSON with the members of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (Object(value) !== value) return value
  return Object.fromEntries(
    Object.entries(value as object)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

const isSameJson = (a: unknown, b: unknown) =>
  isDeepStrictEqual(
    ...([a, b].map(value => JSON.parse(JSON.stringify(value))) as [unknown, unknown]),
  )

describe('fingerprintOf', () => {
  it('is the same after a reload: the same text in any release that keeps this test', () => {
    expect(of({ amount: 1200, card: ['a', null, true, -0.5] })).toBe('3245948570.357480349')
  })

  it('is the same for the same JSON in any order of members, and for its copy', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(of(reversed(value))).toBe(of(value))
        expect(of(JSON.parse(JSON.stringify(value)))).toBe(of(value))
      }),
    )
  })

  it('differs for different JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(of(a) === of(b)).toBe(isSameJson(a, b))
      }),
      { numRuns: 2_000 },
    )
  })

  it('differs for each of 100,000 payloads that are alike', () => {
    const prints = new Set<string>()
    for (let amount = 0; amount < 100_000; amount++) prints.add(of({ order: 'ord_1', amount }))
    expect(prints.size).toBe(100_000)
  })

  it('differs by intent', () => {
    expect(fingerprintOf('another', {})).not.toBe(of({}))
  })

  it.each<[string, unknown, unknown, boolean]>([
    ['a text and a number', { a: 1 }, { a: '1' }, false],
    ['no variables and null, which are one JSON', undefined, null, true],
    ['no variables and an empty text', undefined, '', false],
    ['an absent member and one that is undefined', { a: 1 }, { a: 1, b: undefined }, true],
    ['an absent member and one that is null', { a: 1 }, { a: 1, b: null }, false],
    ['0 and -0, which JSON does not tell apart', 0, -0, true],
    ['a date and its text', new Date(5), '1970-01-01T00:00:00.005Z', true],
    ['two dates', { at: new Date(5) }, { at: new Date(6) }, false],
    ['a list and an object', [1], { 0: 1 }, false],
    ['a nested list and a flat one', [[1], 2], [[1, 2]], false],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }, true],
    ['members of one name in one place', { a: { b: 1 } }, { a: 1, b: 1 }, false],
    [
      'one object twice, which is no cycle',
      ((x = { a: 1 }) => [x, x])(),
      [{ a: 1 }, { a: 1 }],
      true,
    ],
  ])('%s', (_, a, b, isSame) => {
    expect(of(a) === of(b)).toBe(isSame)
  })

  const cycle: { list: unknown[] } = { list: [] }
  cycle.list.push(cycle)

  it.each<[path: string, what: string, variables: unknown]>([
    ['variables', 'a Function', () => 1],
    ['variables.onDone', 'a Function', { onDone() {} }],
    ['variables.total', 'bigint', { total: 12n }],
    ['variables.tag', 'symbol', { tag: Symbol('x') }],
    ['variables.rate', 'NaN', { rate: NaN }],
    ['variables.items[1].rate', 'Infinity', { items: [1, { rate: Infinity }] }],
    ['variables.items[1]', 'undefined', { items: [1, undefined] }],
    ['variables[0]', 'undefined', new Array(1)],
    ['variables.list[0]', 'a cycle', cycle],
    ['variables.tags', 'a Map', { tags: new Map() }],
    ['variables.tags', 'a Set', { tags: new Set() }],
    ['variables.photo', 'a File', { photo: new File(['x'], 'x.png') }],
    ['variables', 'a FormData', new FormData()],
    ['variables.bytes', 'a Uint8Array', { bytes: new Uint8Array(2) }],
    [
      'variables.money',
      'a Money',
      {
        money: new (class Money {
          #amount = 1
          amount = () => this.#amount
        })(),
      },
    ],
    ['variables.cause', 'a Error', { cause: new Error('x') }],
    ['variables.later', 'a Promise', { later: Promise.resolve() }],
  ])('refuses %s: %s', (path, _, variables) => {
    expect(() => of(variables)).toThrow(
      expect.objectContaining({
        code: 'FINGERPRINT',
        at: path,
        message: `${path} has no stable JSON`,
      }),
    )
  })

  it('refuses nothing in production, where the check is left out', () => {
    vi.stubEnv('NODE_ENV', 'production')
    expect(of({ tags: new Map() })).toBe(of({ tags: {} }))
    vi.unstubAllEnvs()
  })

  it('says nothing of the values in its error', () => {
    expect(() => of({ card: '4242424242424242', total: 12n })).toThrow(/^(?!.*4242)/)
  })

  it('does not write to the variables', () => {
    const variables = { b: [3, { z: 1, a: new Date(0) }], a: 1 }
    const before = structuredClone(variables)
    of(variables)
    expect(variables).toEqual(before)
    expect(Object.keys(variables)).toEqual(['b', 'a'])
  })
})
