import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyFailure } from './classify-failure.ts'
import type { Failure } from './failure.ts'
import { readHeader } from './headers.ts'
import { readServerWait } from './retry-after.ts'
import { createRetryPolicy, type RetryDecision } from './retry-policy.ts'

const fail = () => {
  throw new Error('trap')
}
const throwingTraps: ProxyHandler<() => void> = new Proxy({}, { get: () => fail })
/** Every trap throws, whatever is asked of it. */
const trap = () => new Proxy(() => {}, throwingTraps)

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

/** One object with every name the classifier may read, each of them a getter that throws. */
function throwingGetters(): object {
  const names = 'name code status statusCode response data meta headers metadata cause context'
  const object = {}
  for (const key of [...names.split(' '), 'originalError', 'message', 'stack', 'get', 'retryable'])
    Object.defineProperty(object, key, { get: fail, enumerable: true })
  return object
}

function causeChain(length: number): object {
  let error = {}
  for (let n = 0; n < length; n++) error = { cause: error }
  return error
}

/** Each object leads to three more; 3 ** 20 paths if all were walked. */
function wideCauses(): object {
  let error: object = {}
  for (let n = 0; n < 20; n++) error = { cause: error, context: error, originalError: error }
  return error
}

/** A different set of three children at each read: no memory of what was seen bounds it. */
function endlessCauses(): object {
  return {
    get cause() {
      return endlessCauses()
    },
    get context() {
      return endlessCauses()
    },
    get originalError() {
      return endlessCauses()
    },
  }
}

function cyclic(): object {
  const [a, b]: [{ cause?: object }, { context?: object }] = [{}, {}]
  a.cause = b
  b.context = a
  return a
}

const hostileValues: [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['text', 'boom'],
  ['empty text', ''],
  ['megabytes of text', 'Failed to fetch'.repeat(200_000)],
  ['a number', 503],
  ['NaN', NaN],
  ['a boolean', false],
  ['a symbol', Symbol('boom')],
  ['a bigint', 503n],
  ['a function', () => 503],
  ['a class', class Boom {}],
  ['a frozen error', Object.freeze(new Error('boom'))],
  ['a proxy that throws on every trap', trap()],
  [
    'a proxy of an error that throws on every trap',
    new Proxy(new Error('x'), throwingTraps as object),
  ],
  ['a revoked proxy', revoked({})],
  ['a revoked proxy of an array', revoked([])],
  ['an object whose getters throw', throwingGetters()],
  ['an error whose text throws', { name: { toString: fail }, message: { toString: fail } }],
  [
    'an error that is its own cause',
    Object.assign(new Error('x'), {
      get cause() {
        return this
      },
    }),
  ],
  ['causes in a circle', cyclic()],
  ['10,000 causes in a chain', causeChain(10_000)],
  ['causes three wide and 20 deep', wideCauses()],
  ['causes that never end', endlessCauses()],
  ['an object without prototype', Object.create(null)],
  ['a promise', Promise.resolve()],
  ['a status that is an object', { status: { valueOf: fail } }],
  ['a status that is a symbol', { status: Symbol('503'), code: Symbol('ECONNRESET') }],
  ['a name and a code that are bigints', { name: 1n, code: 1n, status: 503n }],
  ['an array', [503]],
]

/** Every hostile value in every field that the classifier reads. */
const FIELDS = [
  'name',
  'code',
  'message',
  'status',
  'statusCode',
  'response',
  'data',
  'meta',
  'cause',
]
const hostileFields = FIELDS.flatMap(field =>
  hostileValues.map(([title, value]) => ({ field, title, value })),
)
const deepArray = (depth: number): unknown => {
  let array: unknown = '503'
  for (let n = 0; n < depth; n++) array = [array]
  return array
}
const selfArray: unknown[] = []
selfArray.push(selfArray)

/** Hostile in their headers, around a status that is retried. */
const hostileResponses = hostileValues.map(([title, headers]): [string, unknown] => [
  title,
  { status: 503, headers },
])

const SHAPE = {
  kind: expect.stringMatching(/^(http|network|timeout|cancelled|refused|unknown)$/),
  retryable: expect.any(Boolean),
  reason: expect.stringMatching(/^[a-z0-9-]{1,30}$/),
  effect: expect.stringMatching(/^(none|unknown|rejected)$/),
}

describe('classifyFailure', () => {
  it.each(hostileValues)('takes %s for an unknown failure that is not retried', (_, error) => {
    expect(classifyFailure(error)).toEqual({
      kind: 'unknown',
      retryable: false,
      reason: 'unknown',
      effect: 'unknown',
    })
  })

  it.each(hostileResponses)(
    'reads a 503 whose headers are %s without a server wait',
    (_, error) => {
      expect(classifyFailure(error)).toEqual({
        kind: 'http',
        retryable: true,
        reason: 'http-503',
        status: 503,
        effect: 'unknown',
      })
    },
  )

  it.each(hostileFields)(
    'gives a failure of few words where $field is $title',
    ({ field, value }) => {
      expect(classifyFailure({ [field]: value })).toMatchObject(SHAPE)
    },
  )

  it.each(FIELDS)(
    'gives a failure of few words where %s is an array in an array without end',
    field => {
      expect(classifyFailure({ [field]: selfArray })).toMatchObject(SHAPE)
      expect(classifyFailure({ [field]: deepArray(100_000) })).toMatchObject(SHAPE)
    },
  )

  it('looks five causes deep and no deeper', () => {
    const wrap = (error: object, times: number): object =>
      times === 0 ? error : wrap({ cause: error }, times - 1)
    expect(classifyFailure(wrap({ status: 503 }, 5)).reason).toBe('http-503')
    expect(classifyFailure(wrap({ status: 503 }, 6)).reason).toBe('unknown')
  })

  it('gives a failure of few words for anything at all', () => {
    const key = fc.constantFrom(
      ...['name', 'code', 'status', 'response', 'headers', 'cause', 'data', 'meta', 'message'],
    )
    const error = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
      fc.dictionary(key, fc.anything()),
      fc.dictionary(key, fc.dictionary(key, fc.anything())),
    )
    fc.assert(
      fc.property(error, value => {
        expect(classifyFailure(value)).toMatchObject(SHAPE)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('readHeader', () => {
  it.each(hostileValues)('finds nothing in %s', (_, headers) => {
    expect(readHeader(headers, 'retry-after')).toBe('')
    expect(readServerWait(headers)).toBeUndefined()
  })
})

describe('decide', () => {
  it.each(hostileValues)('stops as not-retryable after %s', (_, error) => {
    const decision = createRetryPolicy().decide({ error, retryIndex: 0 })
    expect(decision).toMatchObject({ retry: false, reason: 'not-retryable', failure: SHAPE })
    expect(decision).not.toHaveProperty('classifyError')
  })

  it.each(hostileResponses)('retries a 503 whose headers are %s by backoff alone', (_, error) => {
    const decision = createRetryPolicy().decide({ error, retryIndex: 0 })
    expect(decision).toMatchObject({ retry: true, source: 'backoff' })
  })

  const decideWith = (classify: unknown): RetryDecision =>
    createRetryPolicy({ classify: classify as () => Failure }).decide({
      error: { status: 503 },
      retryIndex: 0,
    })

  it.each<[string, unknown]>([
    ['throws', fail],
    [
      'throws undefined',
      () => {
        throw undefined
      },
    ],
    ['returns undefined', () => undefined],
    ['returns null', () => null],
    ['returns a promise', async () => ({ retryable: true })],
    ['returns true', () => true],
    ['returns text', () => 'retry'],
    ['returns an empty object', () => ({})],
    ['returns retryable as text', () => ({ retryable: 'yes' })],
    ['returns a proxy that throws', trap],
    ['returns a revoked proxy', () => revoked({})],
    ['returns getters that throw', throwingGetters],
    [
      'returns one getter that throws',
      () => ({
        retryable: true,
        get kind() {
          return fail()
        },
      }),
    ],
    [
      'returns a getter that throws, which only the caller would read',
      () => ({
        retryable: true,
        get effect() {
          return fail()
        },
      }),
    ],
    ['returns a server wait that is a bigint', () => ({ retryable: true, serverWaitMs: 5n })],
    ['returns a server wait that is a symbol', () => ({ retryable: true, serverWaitMs: Symbol() })],
    [
      'returns a status that is a symbol',
      () => ({ retryable: true, serverWaitMs: 5, status: Symbol() }),
    ],
    [
      'returns a status that throws',
      () => ({ retryable: true, serverWaitMs: 5, status: { valueOf: fail } }),
    ],
  ])('stops with the reported mistake where classify %s', (_, classify) => {
    const decision = decideWith(classify)
    expect(decision).toMatchObject({
      retry: false,
      reason: 'not-retryable',
      failure: { kind: 'http', status: 503, retryable: false },
    })
    expect(decision).toHaveProperty('classifyError')
  })

  it('reports the very thing that classify threw', () => {
    const thrown = new Error('mistake')
    expect(
      decideWith(() => {
        throw thrown
      }),
    ).toHaveProperty('classifyError', thrown)
  })

  it('stops, with the mistake reported, where classify throws after an abort', () => {
    const decision = createRetryPolicy({ classify: fail }).decide({
      error: new DOMException('stop', 'AbortError'),
      retryIndex: 0,
    })
    expect(decision).toMatchObject({ retry: false, reason: 'not-retryable' })
    expect(decision).toHaveProperty('classifyError')
  })

  it.each([NaN, -5, 0, undefined, null])(
    'takes a classifier’s server wait of %s for none',
    value => {
      const serverWaitMs = value as number
      const decision = decideWith(() => ({ ...classifyFailure({ status: 503 }), serverWaitMs }))
      expect(decision).toMatchObject({ retry: true, source: 'backoff' })
    },
  )

  it('stops where a classifier’s server wait is Infinity', () => {
    const failure = { ...classifyFailure({ status: 503 }), serverWaitMs: Infinity }
    expect(decideWith(() => failure)).toMatchObject({ reason: 'server-wait-too-long' })
  })

  it('stops, with the mistake reported, where random throws', () => {
    const policy = createRetryPolicy({ random: fail })
    expect(policy.decide({ error: { status: 503 }, retryIndex: 0 })).toMatchObject({
      retry: false,
      classifyError: expect.objectContaining({ message: 'trap' }),
    })
  })

  it('rounds a classifier’s server wait of 0.4 ms up, since it is a lower bound', () => {
    const policy = createRetryPolicy({
      classify: () => ({ ...classifyFailure({ status: 429 }), serverWaitMs: 1_000.4 }),
      random: () => 0,
    })
    const decision = policy.decide({ error: undefined, retryIndex: 0 })
    expect(decision).toMatchObject({ delayMs: 1_201, source: 'server' })
  })
})
