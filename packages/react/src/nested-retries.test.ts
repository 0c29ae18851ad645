import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { FailedAttempt } from './mutations/failed-attempts.ts'
import type { Operation } from './operation.ts'

let warn = vi.spyOn(console, 'warn')
let nestedRetries: typeof import('./nested-retries.ts')
beforeEach(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  // A page of its own, which has warned of nothing yet.
  vi.resetModules()
  nestedRetries = await import('./nested-retries.ts')
})
const warnings = () => warn.mock.calls.map(([text]) => String(text))

const fail = () => {
  throw new Error('trap')
}
const trap = (target = () => {}) =>
  new Proxy(target, new Proxy({}, { get: () => fail }) as ProxyHandler<() => void>)

const byAws = (attempts: number) => ({ $metadata: { attempts } })
const byGot = (retryCount: unknown) => ({
  options: { retry: { limit: 2 } },
  request: { retryCount },
})
const byKy = ({ method = 'GET', status = 503, retry = {} } = {}) => ({
  options: { retry: { limit: 2, methods: ['get'], statusCodes: [413, 503], ...retry } },
  request: { method },
  response: { status },
})
const byOfetch = (stack: unknown) => ({ name: 'FetchError', options: { retry: 0 }, stack })
const STACK = `FetchError: [GET] "/cart": 503
    at async $fetchRaw2 (ofetch.mjs:327:14)
    at async AsyncFunction.$fetchRaw$1 [as raw] (ofetch.mjs:327:14)`
const END = '\n    at async queryFn (cart.ts:2:3)'

describe('readInnerRetries', () => {
  it('reads the outermost client, five causes deep and no deeper', () => {
    const { readInnerRetries } = nestedRetries
    const wrap = (error: object, times: number): object =>
      times ? wrap({ cause: error }, times - 1) : error
    expect(readInnerRetries(wrap(byAws(3), 5))).toEqual({ client: 'AWS SDK', retries: 2 })
    expect(readInnerRetries(wrap(byAws(3), 6))).toBeUndefined()
    expect(readInnerRetries({ ...byGot(1), cause: byAws(3) })).toMatchObject({ client: 'got' })
    expect(readInnerRetries({ ...byGot(0), cause: byAws(3) })).toMatchObject({ client: 'AWS SDK' })
  })

  it.each<[string, unknown]>([
    ['no retry', byAws(1)],
    ['no attempt', byAws(0)],
    ['a number that is none', byGot(NaN)],
    ['an infinite number', byGot(Infinity)],
    ['half a retry', byGot(0.5)],
    ['less than none', byGot(-1)],
    ['a number as text', byGot('2')],
    ['a bigint', byGot(2n)],
    ['a request that counts, of no client we know', { request: { retryCount: 2 } }],
    ['ky, another method', byKy({ method: 'POST' })],
    ['ky, another status', byKy({ status: 504 })],
    ['ky, a 413 that may say nothing of when', byKy({ status: 413 })],
    ['ky, a function that decides', byKy({ retry: { shouldRetry: () => true } })],
    ['ky, `methods` that are no list', byKy({ retry: { methods: 'get' } })],
    ['ofetch without a stack', byOfetch(undefined)],
    ['ofetch that was not counted down', { ...byOfetch(STACK + END), options: { retry: 1 } }],
    ['ofetch, a stack that ends before the frames do', byOfetch(STACK)],
    ['ofetch, its frames below a hook of its own', byOfetch(`Error${END}\n    at async $fetchRaw`)],
    ['another FetchError with such frames', { name: 'FetchError', stack: STACK + END }],
    ['another error with such frames', { ...byOfetch(STACK + END), name: 'Error' }],
  ])('reads nothing from %s', (_, error) => {
    expect(nestedRetries.readInnerRetries(error)).toBeUndefined()
  })

  it('counts the frames of ofetch', () => {
    const expected = { client: 'ofetch', retries: 2 }
    expect(nestedRetries.readInnerRetries(byOfetch(STACK + END))).toEqual(expected)
    expect(nestedRetries.readInnerRetries(byKy())).toEqual({ client: 'ky', retries: 2 })
  })

  const cyclic: { cause?: unknown } = {}
  cyclic.cause = cyclic
  const hostile: [string, unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['text', 'boom'],
    ['a symbol', Symbol('boom')],
    ['a proxy that throws on every trap', trap()],
    ['an error that is its own cause', cyclic],
    ['an object without prototype', Object.create(null)],
    ['a text that throws', { toString: fail, valueOf: fail }],
    ['megabytes of text', `FetchError${'\n    at async $fetchRaw2'.repeat(100_000)}`],
  ]
  const PLACES: [string, (value: unknown) => object][] = [
    ['itself', value => Object(value)],
    ['cause', value => ({ cause: value })],
    ['config', value => ({ config: value })],
    ['config.axios-retry', value => ({ config: { 'axios-retry': value } })],
    [
      'config.axios-retry.retryCount',
      value => ({ config: { 'axios-retry': { retryCount: value } } }),
    ],
    ['$metadata', value => ({ $metadata: value })],
    ['$metadata.attempts', value => ({ $metadata: { attempts: value } })],
    ['options', value => ({ ...byKy(), options: value })],
    ['options.retry', value => ({ ...byKy(), options: { retry: value } })],
    ['options.retry.limit', value => byKy({ retry: { limit: value } })],
    ['options.retry.methods', value => byKy({ retry: { methods: value } })],
    ['options.retry.statusCodes', value => byKy({ retry: { statusCodes: value } })],
    ['request', value => ({ ...byKy(), request: value })],
    ['request.method', value => ({ ...byKy(), request: { method: value } })],
    ['request.retryCount', value => byGot(value)],
    ['response', value => ({ ...byKy(), response: value })],
    ['name', value => ({ ...byOfetch(STACK), name: value })],
    ['stack', value => byOfetch(value)],
  ]
  it.each(PLACES)('reads nothing from, and survives, hostile values as %s', (_, place) => {
    for (const [, value] of hostile) {
      expect(nestedRetries.readInnerRetries(place(value))).toBeUndefined()
    }
  })

  it('reads a frozen error, and the cause of one that throws otherwise', () => {
    const { readInnerRetries } = nestedRetries
    expect(readInnerRetries(Object.freeze(byAws(3)))).toMatchObject({ retries: 2 })
    const throwing = new Proxy({}, { get: (_, key) => (key === 'cause' ? byAws(3) : fail()) })
    expect(readInnerRetries(throwing)).toMatchObject({ retries: 2 })
  })

  it('survives anything', () => {
    const keys = 'config axios-retry retryCount options retry limit methods statusCodes request'
    const key = fc.constantFrom(
      ...`${keys} method response status name stack cause $metadata attempts`.split(' '),
    )
    const leaf = fc.oneof(fc.constant('FetchError'), fc.constant(0), fc.anything())
    const { error } = fc.letrec(tie => ({
      error: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.dictionary(key, tie('error')),
        fc.array(tie('error')),
      ),
    }))
    fc.assert(
      fc.property(error, value => {
        const inner = nestedRetries.readInnerRetries(value)
        expect(inner === undefined || inner.retries > 0).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

const operation = (lastError: unknown, maxRetries = 4, queryHash = '["cart"]') =>
  ({ lastError, policy: { options: { maxRetries } }, query: { queryHash } }) as Operation

describe('warnAboutNestedRetries', () => {
  it('says each client with its numbers once, whatever the query and the preset', () => {
    const { warnAboutNestedRetries } = nestedRetries
    for (const hash of ['["a"]', '["b"]', '["c"]']) {
      warnAboutNestedRetries({}, operation(byAws(3), 4, hash))
    }
    expect(warnings()).toEqual([expect.stringContaining('AWS SDK 2 + preset 4 = up to 15 calls')])
    warnAboutNestedRetries({}, operation(byAws(4)))
    warnAboutNestedRetries({}, operation(byAws(3), 1))
    warnAboutNestedRetries({}, operation(byGot(2)))
    expect(warnings()).toHaveLength(4)
  })

  it('says that there is no end to them where the preset has none', () => {
    nestedRetries.warnAboutNestedRetries({}, operation(byAws(3), Infinity))
    expect(warnings()[0]).toContain('AWS SDK 2 + preset Infinity = calls without end.')
  })

  it('says nothing of an error that shows no retries', () => {
    nestedRetries.warnAboutNestedRetries({}, operation({ status: 503 }))
    expect(warnings()).toEqual([])
  })
})

describe('warnAboutNestedMutation', () => {
  const onEvent = () => {}
  const attempt = (more: Partial<FailedAttempt> = {}) =>
    ({
      error: byAws(3),
      retry: true,
      settings: { onEvent, policy: { options: { maxRetries: 1 } } },
      ...more,
    }) as FailedAttempt

  it.each<[string, Partial<FailedAttempt>]>([
    ['is not sent again', { retry: false }],
    ['is waited for while it is in progress', { verdict: { kind: 'in-progress' } as never }],
    ['has no preset', { settings: undefined }],
  ])('says nothing of an attempt that %s', (_, more) => {
    nestedRetries.warnAboutNestedMutation(attempt(more))
    expect(warnings()).toEqual([])
    expect(nestedRetries.nestedRetriesOf(onEvent)).toEqual([])
  })

  it('says the product of one that is sent again, and remembers it for the preset', () => {
    nestedRetries.warnAboutNestedMutation(attempt())
    expect(warnings()).toEqual([expect.stringContaining('AWS SDK 2 + preset 1 = up to 6 calls')])
    expect(nestedRetries.nestedRetriesOf(onEvent)).toHaveLength(1)
  })
})

describe('nestedRetriesOf', () => {
  it('keeps the most calls for each client, for each preset by itself', () => {
    const { nestedRetriesOf, warnAboutNestedRetries } = nestedRetries
    const [ours, theirs] = [{}, {}]
    warnAboutNestedRetries(ours, operation(byAws(3)))
    warnAboutNestedRetries(ours, operation(byAws(5)))
    warnAboutNestedRetries(ours, operation(byAws(2)))
    warnAboutNestedRetries(ours, operation(byGot(1)))
    warnAboutNestedRetries(theirs, operation(byAws(2), 1))
    expect(nestedRetriesOf(ours)).toEqual([
      { client: 'AWS SDK', retries: 4, calls: 25 },
      { client: 'got', retries: 1, calls: 10 },
    ])
    expect(nestedRetriesOf(theirs)).toEqual([{ client: 'AWS SDK', retries: 1, calls: 4 }])
    expect(nestedRetriesOf({})).toEqual([])
  })

  it('is empty in production, where nothing is said either', () => {
    const { nestedRetriesOf, warnAboutNestedMutation, warnAboutNestedRetries } = nestedRetries
    const onEvent = () => {}
    const settings = { onEvent, policy: { options: { maxRetries: 1 } } }
    vi.stubEnv('NODE_ENV', 'production')
    warnAboutNestedRetries(onEvent, operation(byAws(3)))
    warnAboutNestedMutation({ error: byAws(3), retry: true, settings } as never)
    expect(warnings()).toEqual([])
    vi.unstubAllEnvs()
    expect(nestedRetriesOf(onEvent)).toEqual([])
    warnAboutNestedRetries(onEvent, operation(byAws(3)))
    vi.stubEnv('NODE_ENV', 'production')
    expect(nestedRetriesOf(onEvent)).toEqual([])
  })
})
