import type { Order, Payment, PaymentRequest, PlacedOrder } from '@query-retry/checkout-api'
import {
  type IdempotentMutationContext,
  ietfDraft,
  readKeyAnswer,
  type UseIdempotentMutationOptions,
} from '@query-retry/react'
import type { PaymentLog } from './backstage/payment-log.ts'
import { type Session, VISITOR } from './session.ts'

/** The server keeps keys for days, but asks its provider for 20 hours only. */
const contract = ietfDraft({ resendWindowMs: 19 * 3_600_000 })

/** Longer than the server's own limit with its provider (10 s), or we would make the doubt ourselves. */
const ATTEMPT_LIMIT_MS = 15_000

type Options<Data, Variables> = UseIdempotentMutationOptions<Data, Error | Response, Variables>

/** What the shop changes on the server, each under an idempotency key. */
export function createPayments(session: Session, log: PaymentLog) {
  async function pay(payment: PaymentRequest, context: IdempotentMutationContext) {
    const answered = log.recordSend(payment.order, context.idempotencyKey, context.attempt)
    try {
      const response = await post(session, '/payments', payment, context)
      answered(response)
      return await readOwnAnswer<Payment>(response)
    } catch (error) {
      answered(undefined)
      throw error
    }
  }

  const aboutKey = (key: string) => `/payments/by-key/${encodeURIComponent(key)}`

  return {
    /** Paying this order: one intent, whatever is clicked. */
    payment: ({ id }: Pick<Order, 'id'>) =>
      ({
        mutationKey: ['pay'],
        subject: ['order', id],
        intent: payment => ['order', payment.order],
        principal: VISITOR,
        contract,
        attemptTimeoutMs: ATTEMPT_LIMIT_MS,
        mutationFn: pay,
        lookUp: async key => readKeyAnswer<Payment>(await session.send(aboutKey(key))),
        fence: async key =>
          readKeyAnswer<Payment>(await session.send(`${aboutKey(key)}/fence`, { method: 'POST' })),
      }) satisfies Options<Payment, PaymentRequest> as Options<Payment, PaymentRequest>,

    /** Making an order of this cart: one intent, until the person starts over. */
    placement: (cart: string) =>
      ({
        mutationKey: ['place-order'],
        subject: ['cart', cart],
        intent: request => ['cart', request.cart],
        principal: VISITOR,
        contract,
        attemptTimeoutMs: ATTEMPT_LIMIT_MS,
        mutationFn: async (request, context) =>
          readOwnAnswer<PlacedOrder>(await post(session, '/orders', request, context)),
      }) satisfies Options<PlacedOrder, { cart: string }> as Options<PlacedOrder, { cart: string }>,
  }
}

function post(
  session: Session,
  path: string,
  body: object,
  { headers, signal }: IdempotentMutationContext,
): Promise<Response> {
  return session.send(path, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
}

/**
 * A success is only what the key's own layer says: a captive portal and a login page answer 200 as well.
 *
 * @throws the response itself, for the contract to read
 */
async function readOwnAnswer<Data>(response: Response): Promise<Data> {
  if (!response.ok || !response.headers.has('Idempotency-Status')) throw response
  return (await response.json()) as Data
}
