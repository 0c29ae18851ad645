import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyFailure } from './classify-failure.ts'
import { isDependencyFailure, isTimeout } from './dependency-failure.ts'
import { AttemptTimeoutError, CircuitOpenError, DeadlineExceededError } from './errors.ts'

const named = (name: string, code?: unknown, message = '') =>
  Object.assign(new Error(message), { name, code })
const withoutStack = (message: string) =>
  Object.assign(new TypeError(message), { stack: undefined })

/** What `fetch` says of a lost connection, in the words of browsers and runtimes. */
const FETCH_TEXTS = [
  'network error',
  'NetworkError when attempting to fetch resource.',
  'The Internet connection appears to be offline.',
  'Network request failed',
  'fetch failed',
  'terminated',
  ' A network error occurred.',
  'Network connection lost',
  'Load failed',
  'Load failed (example.com)',
  'error sending request for url (https://example.com)',
  'Failed to fetch',
  'Failed to fetch (example.com)',
]

const failures: [string, unknown][] = [
  ['500', { status: 500 }],
  ['503 of axios', { response: { status: 503 } }],
  ['504 of tRPC', { data: { httpStatus: 504 } }],
  ['503 as text, of Node', { statusCode: '503' }],
  ['a Response', new Response(null, { status: 502 })],
  ['unavailable, of Connect', named('ConnectError', 14, '[unavailable] down')],
  ['deadline, of Connect', named('ConnectError', 4, '[deadline_exceeded] late')],
  ['our attempt timeout', new AttemptTimeoutError(800)],
  ['a TimeoutError', new DOMException('late', 'TimeoutError')],
  ['a reset connection', named('Error', 'ECONNRESET')],
  ['a lost network of axios', named('AxiosError', 'ERR_NETWORK')],
  ['a 503 as cause', new Error('order failed', { cause: { status: 503 } })],
  ['a lost fetch as text, of Supabase', { message: 'TypeError: Failed to fetch' }],
  ...FETCH_TEXTS.map((text): [string, unknown] => [`fetch: ${text}`, withoutStack(text)]),
]

const others: [string, unknown][] = [
  ...[400, 401, 403, 404, 408, 409, 410, 422, 425, 429, 451, 499].map(
    (status): [string, unknown] => [String(status), { status }],
  ),
  ['resource exhausted, of Connect', named('ConnectError', 8, '[resource_exhausted] slow down')],
  ['an abort', new DOMException('left', 'AbortError')],
  ['a cancelled call of axios', named('CanceledError', 'ERR_CANCELED')],
  ['a cancelled call of Connect', named('ConnectError', 1)],
  ['an abort on account of a 503', Object.assign(named('AbortError'), { cause: { status: 503 } })],
  ['an open circuit', new CircuitOpenError(5_000, 0)],
  ['a 404 on account of a 503', { status: 404, cause: { status: 503 } }],
  ['a 404 before a 503', { cause: { status: 404 }, context: { status: 503 } }],
  ['a name that ends like Connect’s', named('MyConnectError', 14)],
  ['a code that begins like Connect’s', named('ConnectError', 40)],
  ['a mistake', new TypeError("Cannot read properties of undefined (reading 'fetch')")],
  ['a mistake with fetch', new TypeError('fetch is not a function')],
  ['a mistake with networks', new ReferenceError('network is not defined')],
  ['an error that says nothing', new Error('Request failed')],
  ['a success', { status: 200 }],
  ['undefined', undefined],
  ['text', 'Failed to fetch'],
]

describe('isDependencyFailure', () => {
  it.each(failures)('is true for %s, as classifyFailure has it', (_, error) => {
    expect(isDependencyFailure(error)).toBe(true)
    const { kind, status } = classifyFailure(error)
    expect(
      kind === 'http' ? (status as number) >= 500 : ['network', 'timeout'].includes(kind),
    ).toBe(true)
  })

  it.each(others)('is false for %s, as classifyFailure has it', (_, error) => {
    expect(isDependencyFailure(error)).toBe(false)
    const { kind, status = 0 } = classifyFailure(error)
    expect(
      kind === 'http' ? status < 500 : ['cancelled', 'refused', 'unknown'].includes(kind),
    ).toBe(true)
  })

  it('reads the last error out of a deadline that passed: 503 is a failure, 404 is none', () => {
    const after = (cause: unknown) => new DeadlineExceededError(1_000, 1_200, cause)
    expect(isDependencyFailure(after({ status: 503 }))).toBe(true)
    expect(isDependencyFailure(after({ status: 404 }))).toBe(false)
  })

  it('says what classifyFailure says of any status and shape', () => {
    const shape = fc.constantFrom(
      (status: unknown) => ({ status }),
      (statusCode: unknown) => ({ statusCode }),
      (status: unknown) => ({ response: { status } }),
      (status: unknown) => new Error('wrapped', { cause: { meta: { response: { status } } } }),
    )
    const anyStatus = fc.oneof(fc.integer({ min: 0, max: 999 }), fc.anything())
    fc.assert(
      fc.property(shape, anyStatus, (withStatus, status) => {
        const error = withStatus(status)
        const failure = classifyFailure(error)
        expect(isDependencyFailure(error)).toBe((failure.status ?? 0) >= 500)
      }),
    )
  })

  it('never throws, and ends on endless causes', () => {
    const thrower = new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap')
        },
      },
    )
    const endless = {
      get cause() {
        return endless
      },
    }
    expect(isDependencyFailure(thrower)).toBe(false)
    expect(isDependencyFailure(endless)).toBe(false)
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), error => {
        expect(typeof isDependencyFailure(error)).toBe('boolean')
      }),
    )
  })
})

describe('isTimeout', () => {
  it('tells a limit on time from other reasons to abort', () => {
    expect(isTimeout(new DOMException('late', 'TimeoutError'))).toBe(true)
    expect(isTimeout(new AttemptTimeoutError(800))).toBe(true)
    expect(isTimeout(new DOMException('left', 'AbortError'))).toBe(false)
    expect(isTimeout({ status: 504 })).toBe(false)
    expect(isTimeout(undefined)).toBe(false)
  })
})
