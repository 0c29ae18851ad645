import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyFailure, RETRYABLE_STATUSES } from './classify-failure.ts'

const nodeError = (code: string) => Object.assign(new Error(`connect ${code}`), { code })
const wrapped = (cause: unknown) => new Error('Could not load the order', { cause })

describe('classifyFailure', () => {
  it('retries 408, 429, 502, 503, 504 and no other status from 400 to 599', () => {
    const retried: number[] = []
    for (let status = 400; status <= 599; status++)
      if (classifyFailure({ status }).retryable) retried.push(status)
    expect(retried).toEqual([408, 429, 502, 503, 504])
    expect(RETRYABLE_STATUSES).toEqual(retried)
  })

  it('retries the statuses that the caller lists instead', () => {
    const options = { retryableStatuses: [500] }
    expect(classifyFailure({ status: 500 }, options).retryable).toBe(true)
    expect(classifyFailure({ status: 503 }, options).retryable).toBe(false)
  })

  it.each<[string, unknown]>([
    ['status', { status: 503 }],
    ['status as text', { status: '503' }],
    ['statusCode', { statusCode: 503 }],
    ['response.statusCode (got)', { response: { statusCode: 503 } }],
    ['$response.statusCode (AWS SDK)', { $response: { statusCode: 503 } }],
    ['response.status', { response: { status: 503 } }],
    ['response.status beside a status of 0', { status: 0, response: { status: 503 } }],
    ['data.httpStatus', { data: { httpStatus: 503 } }],
    ['meta.response.status', { meta: { response: { status: 503 } } }],
    ['cause', wrapped({ status: 503 })],
    ['cause of a cause', wrapped(wrapped({ response: { status: 503 } }))],
    [
      'context, as Supabase functions have',
      { name: 'FunctionsHttpError', context: { status: 503 } },
    ],
    ['originalError, as Supabase storage has', { originalError: { status: 503 } }],
    ['a Response itself', new Response(null, { status: 503 })],
    ['an error whose fields are on its prototype', Object.create({ status: 503 })],
    ['a frozen error', Object.freeze(Object.assign(new Error('x'), { status: 503 }))],
  ])('finds a 503 in %s', (_, error) => {
    expect(classifyFailure(error)).toEqual({
      kind: 'http',
      retryable: true,
      reason: 'http-503',
      status: 503,
      effect: 'unknown',
    })
  })

  it.each([200, 204, 302, 399, 600, 1_000, 503.5, -503, NaN, Infinity, 'error', '', true, null])(
    'takes a status of %s for no HTTP failure',
    status => {
      expect(classifyFailure({ status })).toMatchObject({ kind: 'unknown', retryable: false })
    },
  )

  it('takes an answer of 200 with GraphQL errors for unknown, and does not retry it', () => {
    const error = { response: { status: 200, errors: [{ message: 'no such field' }] } }
    expect(classifyFailure(error)).toMatchObject({ kind: 'unknown', retryable: false })
  })

  it.each<[string, unknown]>([
    ['Chrome', new TypeError('Failed to fetch')],
    ['Chrome, with the host', new TypeError('Failed to fetch (shop.example)')],
    ['Firefox', new TypeError('NetworkError when attempting to fetch resource.')],
    ['Safari', Object.assign(new TypeError('Load failed'), { stack: undefined })],
    ['Safari, with a stack that an error monitor added', new TypeError('Load failed')],
    ['Node', new TypeError('fetch failed')],
    ['Node, after the headers', new TypeError('terminated')],
    ['React Native', new TypeError('Network request failed')],
    ['axios in a browser', Object.assign(new Error('Network Error'), { code: 'ERR_NETWORK' })],
    ['Node, refused', nodeError('ECONNREFUSED')],
    ['Node, reset', nodeError('ECONNRESET')],
    ['Node, no such host', nodeError('ENOTFOUND')],
    ['Node, resolver busy', nodeError('EAI_AGAIN')],
    ['Node, no route', nodeError('ENETUNREACH')],
    ['Node, network down', nodeError('ENETDOWN')],
    ['Node, host away', nodeError('EHOSTUNREACH')],
    ['Node, pipe broken', nodeError('EPIPE')],
    ['Supabase auth', { name: 'AuthRetryableFetchError', message: 'TypeError: Failed to fetch' }],
    ['undici', nodeError('UND_ERR_SOCKET')],
    ['a wrapper', wrapped(new TypeError('Failed to fetch'))],
    ['Supabase, as text', { message: 'TypeError: Failed to fetch', code: '' }],
    ['Supabase in Safari, as text', { message: 'TypeError: Load failed', code: '' }],
  ])('retries a lost connection of %s as network', (_, error) => {
    expect(classifyFailure(error)).toEqual({
      kind: 'network',
      retryable: true,
      reason: 'network',
      effect: 'unknown',
    })
  })

  it.each<[string, unknown]>([
    ['TimeoutError', new DOMException('signal timed out', 'TimeoutError')],
    ['axios', Object.assign(new Error('timeout of 50ms exceeded'), { code: 'ECONNABORTED' })],
    ['Node', nodeError('ETIMEDOUT')],
    ['undici, headers', nodeError('UND_ERR_HEADERS_TIMEOUT')],
    ['undici, body', nodeError('UND_ERR_BODY_TIMEOUT')],
    ['undici, connect', nodeError('UND_ERR_CONNECT_TIMEOUT')],
    ['a wrapper', wrapped(new DOMException('signal timed out', 'TimeoutError'))],
  ])('retries a timeout of %s, whose effect is unknown', (_, error) => {
    expect(classifyFailure(error)).toEqual({
      kind: 'timeout',
      retryable: true,
      reason: 'attempt-timeout',
      effect: 'unknown',
    })
  })

  it.each<[string, unknown]>([
    ['fetch', new DOMException('The operation was aborted.', 'AbortError')],
    ['axios', Object.assign(new Error('canceled'), { name: 'CanceledError' })],
    ['axios, by code', Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' })],
    ['Connect', { name: 'ConnectError', code: 1 }],
    ['a wrapper', wrapped(new DOMException('The operation was aborted.', 'AbortError'))],
    ['a client that has a status as well', { name: 'AbortError', status: 503 }],
  ])('never retries an abort of %s', (_, error) => {
    expect(classifyFailure(error)).toMatchObject({
      kind: 'cancelled',
      retryable: false,
      reason: 'cancelled',
    })
  })

  it.each<[string, unknown]>([
    ['undefined is not a function', new TypeError('undefined is not a function')],
    [
      'reading a property of undefined',
      new TypeError("Cannot read properties of undefined (reading 'x')"),
    ],
    ['an invalid URL', new TypeError('Failed to parse URL from ::')],
    [
      'a module that does not load',
      new TypeError('Failed to fetch dynamically imported module: https://shop.example/a.js'),
    ],
    ['Firefox on an undefined variable', new TypeError('network is undefined')],
    ['the words of fetch in an ordinary error', new Error('Failed to fetch')],
    ['a ReferenceError', new ReferenceError('order is not defined')],
    ['a SyntaxError of JSON', new SyntaxError('Unexpected token < in JSON at position 0')],
    ['a RangeError', new RangeError('Invalid array length')],
    ['Supabase text about a programming mistake', { message: 'TypeError: x is not a function' }],
    ['a code of another kind', nodeError('ERR_INVALID_URL')],
    ['a database code', { code: '23505', message: 'duplicate key value' }],
    ['a code of the file system', nodeError('ENOENT')],
  ])('never retries %s', (_, error) => {
    expect(classifyFailure(error)).toEqual({
      kind: 'unknown',
      retryable: false,
      reason: 'unknown',
      effect: 'unknown',
    })
  })

  it.each([
    { statuses: [401, 403, 407, 425, 429], effect: 'none' },
    { statuses: [400, 404, 410, 412, 415, 422, 451], effect: 'rejected' },
    { statuses: [408, 409, 500, 502, 503, 504, 599], effect: 'unknown' },
  ])('gives effect $effect for $statuses', ({ statuses, effect }) => {
    for (const status of statuses) expect(classifyFailure({ status }).effect).toBe(effect)
  })

  it.each([
    { code: 4, status: 504 },
    { code: 8, status: 429 },
    { code: 14, status: 503 },
  ])('reads the Connect code $code as $status', ({ code, status }) => {
    const metadata = new Headers({ 'retry-after': '2' })
    expect(classifyFailure({ name: 'ConnectError', code, metadata })).toMatchObject({
      kind: 'http',
      status,
      retryable: true,
      serverWaitMs: 2_000,
    })
    expect(classifyFailure({ code })).toMatchObject({ kind: 'unknown' })
  })

  it.each([2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 15, 16])(
    'does not retry the Connect code %d',
    code => {
      expect(classifyFailure({ name: 'ConnectError', code }).retryable).toBe(false)
    },
  )

  it.each<[string, object]>([
    ['headers', { status: 503, headers: { 'Retry-After': '2' } }],
    ['response.headers', { status: 503, response: { headers: { 'Retry-After': '2' } } }],
    [
      'meta.response.headers',
      {
        data: { httpStatus: 503 },
        meta: { response: { headers: new Headers({ 'retry-after': '2' }) } },
      },
    ],
    ['a Response', new Response(null, { status: 503, headers: { 'retry-after': '2' } })],
    [
      'the response in a cause',
      wrapped({ response: new Response(null, { status: 503, headers: { 'retry-after': '2' } }) }),
    ],
  ])('reads Retry-After from %s', (_, error) => {
    expect(classifyFailure(error).serverWaitMs).toBe(2_000)
  })

  it('measures a Retry-After date against nowEpochMs', () => {
    const error = { status: 503, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } }
    const nowEpochMs = Date.UTC(2015, 9, 21, 7, 27)
    expect(classifyFailure(error, { nowEpochMs }).serverWaitMs).toBe(60_000)
  })

  it.each([
    { header: 'x-should-retry', value: 'false', status: 503, says: false, retryable: true },
    { header: 'x-should-retry', value: 'true', status: 409, says: true, retryable: true },
    { header: 'stripe-should-retry', value: 'false', status: 429, says: false, retryable: true },
    { header: 'stripe-should-retry', value: 'true', status: 500, says: true, retryable: true },
    { header: 'x-should-retry', value: 'perhaps', status: 500, says: undefined, retryable: false },
  ])(
    'takes $header: $value on a $status for the server’s own word',
    ({ header, value, status, says, retryable }) => {
      const failure = classifyFailure({ status, headers: { [header]: value } })
      expect(failure.serverSaysRetry).toBe(says)
      expect(failure.retryable).toBe(retryable)
    },
  )

  it('gives at most one reason per status: 200 statuses, 200 reasons', () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), fc.anything(), (status, rest) => {
        expect(classifyFailure({ rest, status }).reason).toBe(`http-${status}`)
      }),
    )
  })

  it('does not write to the error', () => {
    const error = Object.freeze({ status: 503, headers: Object.freeze({ 'retry-after': '5' }) })
    const before = JSON.stringify(error)
    classifyFailure(error)
    expect(JSON.stringify(error)).toBe(before)
  })

  it.each<[string, unknown, string]>([
    ['NotAbortError', { name: 'NotAbortError', status: 503 }, 'http-503'],
    ['AbortErrorGroup', { name: 'AbortErrorGroup', status: 503 }, 'http-503'],
    ['ERR_CANCELED_BY_PEER', { code: 'ERR_CANCELED_BY_PEER', status: 503 }, 'http-503'],
    ['XERR_CANCELED', { code: 'XERR_CANCELED', status: 503 }, 'http-503'],
    ['MyConnectError', { name: 'MyConnectError', code: 1 }, 'unknown'],
    ['SessionTimeoutError', { name: 'SessionTimeoutError' }, 'unknown'],
    ['ETIMEDOUT_X', { code: 'ETIMEDOUT_X' }, 'unknown'],
    ['XETIMEDOUT', { code: 'XETIMEDOUT' }, 'unknown'],
    ['MyDeadlineExceededError', { name: 'MyDeadlineExceededError', status: 503 }, 'http-503'],
    ['DeadlineExceededErrors', { name: 'DeadlineExceededErrors', status: 503 }, 'http-503'],
    ['MyCircuitOpenError', { name: 'MyCircuitOpenError', status: 503 }, 'http-503'],
    ['CircuitOpenErrors', { name: 'CircuitOpenErrors', status: 503 }, 'http-503'],
    ['a code in a message', new Error('read ECONNRESET'), 'unknown'],
    ['a text of fetch in a message', new Error('Wrapped: TypeError: Failed to fetch'), 'unknown'],
  ])('does not take %s for the name or code that it resembles', (_, error, reason) => {
    expect(classifyFailure(error).reason).toBe(reason)
  })

  it('takes the status before the code of Connect', () => {
    const error = { name: 'ConnectError', code: 14, status: 429 }
    expect(classifyFailure(error).reason).toBe('http-429')
  })

  it('reads the headers of AWS', () => {
    const error = { $response: { statusCode: 503, headers: { 'retry-after': '2' } } }
    expect(classifyFailure(error).serverWaitMs).toBe(2_000)
  })

  it('takes x-should-retry before stripe-should-retry', () => {
    const headers = { 'x-should-retry': 'false', 'stripe-should-retry': 'true' }
    expect(classifyFailure({ status: 503, headers }).serverSaysRetry).toBe(false)
  })

  it('gives each open circuit a failure of its own: what one caller writes on it, no other reads', () => {
    const error = { name: 'CircuitOpenError', code: 'CIRCUIT_OPEN' }
    classifyFailure(error).retryable = false
    expect(classifyFailure(error)).toMatchObject({ reason: 'circuit-open', retryable: true })
  })
})

describe('classifyFailure of a wrapped error', () => {
  it('keeps the server’s wait where a wrapper carries only the status on', () => {
    const inner = { response: { status: 503, headers: { 'retry-after': '7' } } }
    const wrapper = Object.assign(new Error('Could not load', { cause: inner }), { status: 503 })
    expect(classifyFailure(wrapper)).toMatchObject({ reason: 'http-503', serverWaitMs: 7_000 })
  })

  it('takes the outer wait where both ask for one', () => {
    const inner = { status: 503, headers: { 'retry-after': '7' } }
    const outer = { status: 429, headers: { 'retry-after': '2' }, cause: inner }
    expect(classifyFailure(outer)).toMatchObject({ reason: 'http-429', serverWaitMs: 2_000 })
  })

  it.each(['SESSION_TIMEOUT', 'DEADLINE_EXCEEDED'])(
    'does not take the code %s of somebody else for one of ours',
    code => {
      expect(classifyFailure({ code })).toMatchObject({ kind: 'unknown', retryable: false })
    },
  )

  it('keeps the outer wait of 0 where the cause asks for 7 s', () => {
    const cause = { status: 503, headers: { 'retry-after': '7' } }
    const error = { status: 503, headers: { 'retry-after': '0' }, cause }
    expect(classifyFailure(error).serverWaitMs).toBe(0)
  })
})
