import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHeader } from './headers.ts'
import { readServerWait } from './retry-after.ts'

/** What axios 1.x hands over: `get` takes any case, and a field may be an array. */
const axiosHeaders = (fields: Record<string, unknown>) => ({
  get: (name: string) =>
    Object.entries(fields).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1],
})

describe('readHeader', () => {
  it.each<[string, unknown]>([
    ['Headers', new Headers({ 'Retry-After': '5' })],
    ['a Map in lower case', new Map([['retry-after', '5']])],
    ['a Map in the usual case', new Map([['Retry-After', '5']])],
    [
      'a Map in upper case, after others',
      new Map([
        ['Date', 'x'],
        ['RETRY-AFTER', '5'],
      ]),
    ],
    ['axios headers', axiosHeaders({ 'Retry-After': '5' })],
    ['axios headers with an array', axiosHeaders({ 'Retry-After': ['5'] })],
    ['an object in lower case', { 'retry-after': '5' }],
    ['an object in the usual case', { 'Retry-After': '5' }],
    ['an object in mixed case', { 'rEtRy-AfTeR': '5' }],
    ['an object of arrays, as Node gives', { date: 'x', 'retry-after': ['5'] }],
    ['an object with a number', { 'retry-after': 5 }],
    ['an object without prototype', Object.assign(Object.create(null), { 'retry-after': '5' })],
    [
      'pairs',
      [
        ['Date', 'x'],
        ['Retry-After', '5'],
      ],
    ],
    ['an iterator over pairs', new Headers({ 'Retry-After': '5' }).entries()],
    ['a frozen object', Object.freeze({ 'Retry-After': '5' })],
    ['an object with a field called get', { get: 'x', 'retry-after': '5' }],
  ])('reads %s', (_, headers) => {
    expect(readHeader(headers, 'retry-after')).toBe('5')
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 5],
    ['text', 'retry-after: 5'],
    ['an empty object', {}],
    ['empty Headers', new Headers()],
    ['a flat list, as rawHeaders is', ['Retry-After', '5']],
    ['no value', { 'retry-after': [] }],
    ['null as value', { 'retry-after': null }],
    ['a boolean as value', { 'retry-after': true }],
    ['an object as value', { 'retry-after': { toString: () => '5' } }],
    ['a name that only begins like it', { 'retry-after-x': '5' }],
    [
      'a get that throws',
      {
        get: () => {
          throw new Error('no')
        },
      },
    ],
    ['a get that returns a promise', { get: async () => '5' }],
    [
      'a getter that throws',
      {
        get 'retry-after'() {
          throw new Error('no')
        },
      },
    ],
    [
      'an iterator that throws',
      {
        [Symbol.iterator]() {
          throw new Error('no')
        },
      },
    ],
    ['pairs of null', [null, undefined, 5]],
    [
      'a name whose text throws',
      [
        [
          {
            toString() {
              throw new Error('no')
            },
          },
          '5',
        ],
      ],
    ],
  ])('takes the header for absent in %s', (_, headers) => {
    expect(readHeader(headers, 'retry-after')).toBe('')
  })

  it('joins two values as Headers does, and no wait is read from them', () => {
    const headers = { 'retry-after': ['5', '10'] }
    expect(readHeader(headers, 'retry-after')).toBe('5, 10')
    expect(
      readHeader(
        new Headers([
          ['retry-after', '5'],
          ['retry-after', '10'],
        ]),
        'retry-after',
      ),
    ).toBe('5, 10')
    expect(readServerWait(headers)).toBeUndefined()
  })

  it('takes an array that contains itself for absent', () => {
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    expect(readHeader({ 'retry-after': cyclic }, 'retry-after')).toBe('')
  })

  it('finds the one field of that name in any object, whatever stands beside it', () => {
    const name = fc.constantFrom('retry-after', 'Retry-After', 'RETRY-AFTER')
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), name, (others, key) => {
        const entries = Object.entries(others).filter(
          ([k]) => !['retry-after', 'get'].includes(k.toLowerCase()),
        )
        expect(readHeader(Object.fromEntries([...entries, [key, '5']]), 'retry-after')).toBe('5')
      }),
    )
  })

  it('reads a number, 0 included, and no name that would have to be turned into text', () => {
    expect(readHeader({ 'retry-after': 0 }, 'retry-after')).toBe('0')
    expect(readHeader([[{ toString: () => 'retry-after' }, '5']], 'retry-after')).toBe('')
  })
})

describe('readHeader of an endless iterator', () => {
  it('gives up after 1,000 fields, instead of hanging', () => {
    let pulled = 0
    const endless = {
      *[Symbol.iterator]() {
        for (;;) {
          pulled++
          yield ['x', 'y']
        }
      },
    }
    expect(readHeader(endless, 'retry-after')).toBe('')
    expect(pulled).toBeLessThanOrEqual(1_001)
  })
})
