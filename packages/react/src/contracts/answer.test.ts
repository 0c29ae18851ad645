import { AxiosError, AxiosHeaders } from 'axios'
import { describe, expect, it } from 'vitest'
import { readAnswer } from './answer.ts'

const BODY = { type: 'https://x.example/problems/payment-declined' }
const HEADERS = {
  'Content-Type': 'application/problem+json',
  'Retry-After': '2',
  'Idempotency-Status': 'replayed',
}
const response = (
  status = 402,
  body: BodyInit | null = JSON.stringify(BODY),
  headers: HeadersInit = HEADERS,
) => new Response(body, { status, headers })

/** As axios 1 makes it. */
function axiosError(): AxiosError {
  const config = { headers: new AxiosHeaders() }
  const headers = new AxiosHeaders(HEADERS)
  const answer = { status: 402, statusText: '', headers, data: BODY, config }
  return new AxiosError('Request failed', 'ERR_BAD_REQUEST', config, {}, answer)
}

describe('readAnswer', () => {
  it.each<[string, () => unknown]>([
    ['a fetch Response', response],
    ['an error of axios', axiosError],
    [
      'an error of ky, whose body nobody read',
      () => Object.assign(new Error(), { name: 'HTTPError', response: response() }),
    ],
    [
      'an error of ofetch, which read the body',
      () => Object.assign(new Error(), { status: 402, data: BODY, response: response(402, null) }),
    ],
    ['a plain object', () => ({ status: 402, headers: HEADERS, data: BODY })],
    ['a plain object with body', () => ({ statusCode: 402, headers: HEADERS, body: BODY })],
    [
      'a plain object whose body is text',
      () => ({ status: 402, headers: HEADERS, data: JSON.stringify(BODY) }),
    ],
    [
      'an error with a Response as its cause',
      () => new Error('could not pay', { cause: response() }),
    ],
    ['an error of Supabase', () => Object.assign(new Error(), { context: response() })],
  ])('reads status, headers, body and wait of %s', async (_, thrown) => {
    const answer = await readAnswer(thrown())
    expect(answer).toMatchObject({ status: 402, body: BODY, waitMs: 2_000, reason: 'http-402' })
    expect(answer.header('idempotency-status')).toBe('replayed')
    expect(answer.header('x-none')).toBe('')
  })

  it('leaves the body of a Response to be read by whoever catches it', async () => {
    const thrown = response()
    await readAnswer(thrown)
    expect(thrown.bodyUsed).toBe(false)
    expect(await thrown.json()).toEqual(BODY)
  })

  it('reads status and headers of a Response whose body was read before', async () => {
    const thrown = response()
    await thrown.text()
    const answer = await readAnswer(thrown)
    expect(answer).toMatchObject({ status: 402, waitMs: 2_000 })
    expect(answer).not.toHaveProperty('body')
  })

  it.each([
    ['a page of a captive portal', response(503, '<html>', { 'Content-Type': 'text/html' })],
    [
      'JSON that is sent as a page',
      response(402, JSON.stringify(BODY), { 'Content-Type': 'text/html' }),
    ],
    ['JSON that was cut', response(402, '{"type":', HEADERS)],
    ['nothing', response(402, null)],
  ])('has no body of %s', async (_, thrown) => {
    expect(await readAnswer(thrown)).not.toHaveProperty('body')
  })

  it('has no body where reading it fails on the way', async () => {
    const cut = new ReadableStream({ start: controller => controller.error(new Error('reset')) })
    const answer = await readAnswer(response(503, cut))
    expect(answer).not.toHaveProperty('body')
    expect(answer.status).toBe(503)
  })

  it.each<[string, unknown, string, boolean]>([
    ['a lost connection', new TypeError('Failed to fetch'), 'network', true],
    ['a timeout', Object.assign(new Error(), { name: 'TimeoutError' }), 'attempt-timeout', true],
    ['an abort', new DOMException('', 'AbortError'), 'cancelled', false],
    ['a programming mistake', new TypeError('x is not a function'), 'unknown', false],
    ['an opaque response', { status: 0, type: 'opaque' }, 'unknown', false],
    ['a domain error', { status: 'declined' }, 'unknown', false],
    ['nothing', undefined, 'unknown', false],
    ['text', 'no', 'unknown', false],
  ])('has no status of %s', async (_, thrown, reason, isWorthRetrying) => {
    const answer = await readAnswer(thrown)
    expect(answer).toEqual({ header: expect.any(Function), reason, isWorthRetrying })
    expect(answer.header('date')).toBe('')
  })

  it('never rejects: a hostile error is one without an answer', async () => {
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap')
        },
      },
    )
    const cyclic: { cause?: unknown } = {}
    cyclic.cause = cyclic
    for (const thrown of [
      trap,
      cyclic,
      { status: 402, headers: trap, data: trap },
      { response: trap },
    ]) {
      expect((await readAnswer(thrown)).header('date')).toBe('')
    }
  })
})
