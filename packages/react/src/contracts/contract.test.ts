import { describe, expect, it } from 'vitest'
import { type Contract, createContract, type Verdict, verdictByStatus } from './contract.ts'
import { ietfDraft } from './ietf-draft.ts'
import { stripe } from './stripe.ts'
import { tossPayments } from './toss-payments.ts'

type Expected = `${Verdict['kind']} ${Verdict['next']}`

async function verdictOf(contract: Contract, thrown: unknown): Promise<Expected> {
  const { kind, next } = await contract.verdict(thrown)
  return `${kind} ${next}`
}

const byStatus = createContract({
  name: '',
  resendWindowMs: 1,
  headers: () => ({}),
  verdict: verdictByStatus,
})

/** What comes from somebody who does not know the key: the same under every contract. */
const BY_STATUS: [thrown: unknown, expected: Expected][] = [
  [new TypeError('Failed to fetch'), 'unknown wait'],
  [Object.assign(new Error(), { name: 'TimeoutError' }), 'unknown wait'],
  [new DOMException('', 'AbortError'), 'unknown stop'],
  [new TypeError('x is not a function'), 'unknown stop'],
  [undefined, 'unknown stop'],
  ...[200, 201, 204, 302, 304].map((status): [object, Expected] => [{ status }, 'unknown stop']),
  ...[400, 404, 405, 411, 413, 414, 415, 431, 501].map((status): [object, Expected] => [
    { status },
    'not-processed stop',
  ]),
  ...[401, 403, 407].map((status): [object, Expected] => [{ status }, 'unknown login']),
  ...[425, 429].map((status): [object, Expected] => [{ status }, 'unknown wait']),
  ...[408, 409, 500, 502, 503, 504, 520, 524].map((status): [object, Expected] => [
    { status },
    'unknown wait',
  ]),
  ...[402, 410, 412, 418, 422, 451].map((status): [object, Expected] => [
    { status },
    'unknown stop',
  ]),
]

describe('createContract', () => {
  it.each([0, -1, NaN, Infinity, '5000', null])('refuses a window of %o', window => {
    const resendWindowMs = window as number
    for (const create of [ietfDraft, stripe, tossPayments]) {
      expect(() => create({ resendWindowMs })).toThrow(
        expect.objectContaining({ code: 'RETRY_OPTION', option: 'resendWindowMs', value: window }),
      )
    }
  })
})

describe.each([byStatus, ietfDraft(), stripe(), tossPayments()])(
  'a contract ($name), an answer that says nothing but its status',
  contract => {
    it.each(BY_STATUS)('%o: %s', async (thrown, expected) => {
      expect(await verdictOf(contract, thrown)).toBe(expected)
    })

    it('never says succeeded or rejected', async () => {
      for (let status = 100; status <= 599; status++) {
        expect(await verdictOf(contract, { status })).toMatch(/^(unknown|not-processed) /)
      }
    })

    it('takes the page of a captive portal or a login for no answer of the server', async () => {
      const page = new Response('<html>', { status: 200, headers: { 'Content-Type': 'text/html' } })
      expect(await verdictOf(contract, page)).toBe('unknown stop')
    })

    it('hands on how long the server asks to wait', async () => {
      const thrown = { status: 429, headers: { 'Retry-After': '3' } }
      expect(await contract.verdict(thrown)).toMatchObject({ waitMs: 3_000 })
    })

    it('names a reason that holds nothing of the payload', async () => {
      const { reason } = await contract.verdict({ status: 503, data: { card: '4242' } })
      expect(reason).toBe('http-503')
    })
  },
)

/** As apps/checkout-api writes it. */
function problem(status: number, slug: string, headers: object = {}) {
  const type = `https://query-retry.example/problems/${slug}`
  const all = { 'Content-Type': 'application/problem+json', ...headers }
  return new Response(JSON.stringify({ type, status }), { status, headers: all as HeadersInit })
}
const OWN = { 'Idempotency-Status': 'replayed' }
const AGAIN = { 'Retry-After': '2' }

describe('ietfDraft', () => {
  it('sends the key as a quoted string, and forgets it after 5 minutes unless told otherwise', () => {
    expect(ietfDraft().headers('k1')).toEqual({ 'Idempotency-Key': '"k1"' })
    expect(ietfDraft().headers('a"b\\c')).toEqual({ 'Idempotency-Key': '"a\\"b\\\\c"' })
    expect(ietfDraft().resendWindowMs).toBe(300_000)
    expect(ietfDraft({ resendWindowMs: 72_000_000 }).resendWindowMs).toBe(72_000_000)
  })

  // The table of apps/checkout-api/src/idempotency/README.md, then what comes from in front of it.
  it.each<[status: number, slug: string, headers: object, expected: Expected]>([
    [402, 'payment-declined', OWN, 'rejected stop'],
    [404, 'order-not-found', OWN, 'rejected stop'],
    [409, 'order-already-paid', OWN, 'succeeded stop'],
    [409, 'order-cancelled', OWN, 'rejected stop'],
    [409, 'order-changed', OWN, 'rejected stop'],
    [409, 'cart-empty', OWN, 'rejected stop'],
    [409, 'key-fenced', OWN, 'rejected stop'],
    [400, 'idempotency-key-missing', {}, 'not-processed stop'],
    [400, 'idempotency-key-invalid', {}, 'not-processed stop'],
    [401, 'login-required', {}, 'unknown login'],
    [409, 'request-in-progress', AGAIN, 'in-progress wait'],
    [409, 'order-busy', AGAIN, 'in-progress wait'],
    [409, 'under-review', {}, 'unknown stop'],
    [410, 'result-expired', {}, 'unknown stop'],
    [422, 'key-mismatch', {}, 'mismatch stop'],
    [503, 'outcome-unknown', AGAIN, 'unknown wait'],
    [503, 'database-unavailable', {}, 'unknown wait'],
    [500, 'internal-error', {}, 'unknown wait'],
    [400, 'invalid-request', {}, 'not-processed stop'],
    [413, 'body-too-large', {}, 'not-processed stop'],
    // Where the server does not expose the marker, the type says it.
    [402, 'payment-declined', {}, 'rejected stop'],
    [409, 'order-already-paid', {}, 'succeeded stop'],
    // Where nobody knows the type, the marker says it.
    [409, 'sold-out', OWN, 'rejected stop'],
    [422, 'sold-out', { 'Idempotency-Status': 'completed' }, 'rejected stop'],
    [500, 'sold-out', OWN, 'unknown stop'],
    // Neither: the status alone.
    [409, 'sold-out', {}, 'unknown wait'],
    [409, 'sold-out', { 'Idempotency-Status': 'maybe' }, 'unknown wait'],
    [422, 'invalid-coupon', {}, 'unknown stop'],
  ])('%i %s %o: %s', async (status, slug, headers, expected) => {
    expect(await verdictOf(ietfDraft(), problem(status, slug, headers))).toBe(expected)
  })

  it('gives the problem as the reason', async () => {
    const reasonOf = async (thrown: unknown) => (await ietfDraft().verdict(thrown)).reason
    expect(await reasonOf(problem(402, 'payment-declined', OWN))).toBe('payment-declined')
    expect(await reasonOf(problem(409, 'sold-out', OWN))).toBe('sold-out')
    expect(await reasonOf({ status: 402, headers: OWN })).toBe('http-402')
  })

  it('believes no problem of a success, and no problem that is a page', async () => {
    expect(await verdictOf(ietfDraft(), problem(200, 'payment-declined', OWN))).toBe('unknown stop')
    const page = problem(402, 'payment-declined', { 'Content-Type': 'text/html' })
    expect(await verdictOf(ietfDraft(), page)).toBe('unknown stop')
  })

  it.each<[type: string, expected: Expected]>([
    ['https://shop.example/errors/declined', 'rejected stop'],
    ['https://shop.example/errors/declined/', 'rejected stop'],
    ['https://shop.example/errors#declined', 'rejected stop'],
    ['urn:shop:busy', 'in-progress wait'],
    ['https://bank.example/declined', 'mismatch stop'],
    ['declined', 'rejected stop'],
    ['early', 'not-processed stop'],
    ['about:blank', 'unknown wait'],
    ['constructor', 'unknown wait'],
    ['', 'unknown wait'],
  ])('knows the types that it is told, by last segment or whole: %s', async (type, expected) => {
    const problems = {
      declined: 'rejected',
      'urn:shop:busy': 'in-progress',
      'https://bank.example/declined': 'mismatch',
      early: 'not-processed',
    } as const
    const thrown = { status: type === 'early' ? 400 : 409, data: { type } }
    expect(await verdictOf(ietfDraft({ problems }), thrown)).toBe(expected)
  })

  it('reads another marker, and takes a bare 409 and 422 as the draft means them, where told to', async () => {
    const contract = ietfDraft({
      markerHeader: 'X-Replay',
      statuses: { 409: 'in-progress', 422: 'mismatch' },
    })
    expect(await verdictOf(contract, { status: 402, headers: { 'x-replay': 'completed' } })).toBe(
      'rejected stop',
    )
    expect(await verdictOf(contract, { status: 402, headers: OWN })).toBe('unknown stop')
    expect(await verdictOf(contract, { status: 409 })).toBe('in-progress wait')
    expect(await verdictOf(contract, { status: 422 })).toBe('mismatch stop')
  })
})

describe('stripe', () => {
  const error = (status: number, type: string, code?: string, headers: object = {}) => ({
    status,
    headers,
    data: { error: { type, code } },
  })

  it('sends the bare key, for 23 of the 24 hours that Stripe keeps it', () => {
    expect(stripe().headers('k1')).toEqual({ 'Idempotency-Key': 'k1' })
    expect(stripe().resendWindowMs).toBe(23 * 3_600_000)
  })

  it.each<[thrown: unknown, expected: Expected]>([
    [error(402, 'card_error', 'card_declined'), 'rejected stop'],
    [error(400, 'card_error', 'card_declined'), 'not-processed stop'],
    [error(409, 'invalid_request_error', 'idempotency_key_in_use'), 'in-progress wait'],
    [error(400, 'idempotency_error'), 'mismatch stop'],
    [error(400, 'invalid_request_error', 'parameter_missing'), 'not-processed stop'],
    [error(401, 'invalid_request_error'), 'unknown login'],
    [error(429, 'invalid_request_error', 'rate_limit'), 'unknown wait'],
    [error(429, 'invalid_request_error', 'lock_timeout'), 'unknown wait'],
    [error(500, 'api_error'), 'unknown wait'],
    [error(500, 'api_error', undefined, { 'Stripe-Should-Retry': 'false' }), 'unknown stop'],
    [error(500, 'api_error', undefined, { 'Idempotent-Replayed': 'true' }), 'unknown stop'],
    [error(409, 'invalid_request_error'), 'unknown wait'],
    [
      error(400, 'invalid_request_error', undefined, { 'Idempotent-Replayed': 'true' }),
      'not-processed stop',
    ],
    [
      error(400, 'invalid_request_error', undefined, { 'Stripe-Should-Retry': 'true' }),
      'unknown wait',
    ],
    [error(424, 'api_error', undefined, { 'Stripe-Should-Retry': 'true' }), 'unknown wait'],
    [
      error(500, 'api_error', undefined, {
        'Stripe-Should-Retry': 'true',
        'Idempotent-Replayed': 'true',
      }),
      'unknown stop',
    ],
    [
      error(401, 'invalid_request_error', undefined, { 'Stripe-Should-Retry': 'true' }),
      'unknown login',
    ],
    [
      error(401, 'invalid_request_error', undefined, { 'Stripe-Should-Retry': 'false' }),
      'unknown login',
    ],
    [{ status: 402 }, 'unknown stop'],
    [error(200, 'card_error'), 'unknown stop'],
  ])('%o: %s', async (thrown, expected) => {
    expect(await verdictOf(stripe(), thrown)).toBe(expected)
  })
})

describe('tossPayments', () => {
  const error = (status: number, code: string) => ({ status, data: { code, message: '…' } })

  it('sends the bare key, for 13 of the 15 days that Toss keeps it', () => {
    expect(tossPayments().headers('k1')).toEqual({ 'Idempotency-Key': 'k1' })
    expect(tossPayments().resendWindowMs).toBe(13 * 86_400_000)
  })

  it.each<[thrown: unknown, expected: Expected]>([
    [error(409, 'IDEMPOTENT_REQUEST_PROCESSING'), 'in-progress wait'],
    [error(400, 'INVALID_IDEMPOTENCY_KEY'), 'not-processed stop'],
    [error(403, 'REJECT_CARD_COMPANY'), 'rejected stop'],
    [error(400, 'INVALID_REJECT_CARD'), 'rejected stop'],
    [error(403, 'REJECT_CARD_PAYMENT'), 'rejected stop'],
    [error(403, 'REJECT_ACCOUNT_PAYMENT'), 'rejected stop'],
    [error(400, 'INVALID_STOPPED_CARD'), 'rejected stop'],
    [error(400, 'INVALID_CARD_LOST_OR_STOLEN'), 'rejected stop'],
    // A limit that an earlier attempt may have used up, or a rule: neither settles it, nor does a login.
    [error(400, 'EXCEED_MAX_AMOUNT'), 'unknown stop'],
    [error(400, 'EXCEED_MAX_DAILY_PAYMENT_COUNT'), 'unknown stop'],
    [error(403, 'EXCEED_MAX_ONE_DAY_AMOUNT'), 'unknown stop'],
    [error(403, 'REJECT_TOSSPAY_INVALID_ACCOUNT'), 'unknown stop'],
    [error(403, 'INVALID_PASSWORD'), 'unknown stop'],
    [error(403, 'FDS_ERROR'), 'unknown stop'],
    [error(403, 'NOT_CANCELABLE_PAYMENT'), 'unknown stop'],
    [error(403, 'NOT_AVAILABLE_BANK'), 'unknown stop'],
    [error(403, 'FORBIDDEN_REQUEST'), 'unknown login'],
    [error(403, 'NOT_LOGGED_IN'), 'unknown login'],
    // Done or begun before, or lost on the way: never said to be refused.
    [error(400, 'ALREADY_PROCESSED_PAYMENT'), 'unknown stop'],
    [error(400, 'ALREADY_COMPLETED_PAYMENT'), 'unknown stop'],
    [error(400, 'ALREADY_CANCELED_PAYMENT'), 'unknown stop'],
    [error(400, 'DUPLICATED_ORDER_ID'), 'unknown stop'],
    [error(400, 'DUPLICATED_REQUEST'), 'unknown stop'],
    [error(403, 'FORBIDDEN_CONSECUTIVE_REQUEST'), 'unknown stop'],
    [error(400, 'PROVIDER_ERROR'), 'unknown stop'],
    [error(400, 'CARD_PROCESSING_ERROR'), 'unknown stop'],
    [error(400, 'INVALID_REQUEST'), 'not-processed stop'],
    [error(401, 'UNAUTHORIZED_KEY'), 'unknown login'],
    [error(404, 'NOT_FOUND_PAYMENT_SESSION'), 'not-processed stop'],
    [error(500, 'FAILED_INTERNAL_SYSTEM_PROCESSING'), 'unknown wait'],
    [error(500, 'REJECT_CARD_COMPANY'), 'unknown wait'],
    [error(200, 'REJECT_CARD_COMPANY'), 'unknown stop'],
  ])('%o: %s', async (thrown, expected) => {
    expect(await verdictOf(tossPayments(), thrown)).toBe(expected)
  })
})
