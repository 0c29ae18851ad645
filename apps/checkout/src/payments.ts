import type { Order, Payment, PaymentRequest, PlacedOrder } from '@query-retry/checkout-api'
import {
  defaultJournal,
  type IdempotentMutationContext,
  ietfDraft,
  readKeyAnswer,
  type UseIdempotentMutationOptions,
} from '@query-retry/react'
import type { PaymentLog, PaymentRequestLine } from './backstage/payment-log.ts'
import { type Session, VISITOR } from './session.ts'

const HOUR_MS = 3_600_000

/** The server keeps keys for days, but asks its provider for 20 hours only. */
const payingContract = ietfDraft({ resendWindowMs: 19 * HOUR_MS })

/** Nobody but the server has a part in an order: it repeats its answer for 7 days. */
const placingContract = ietfDraft({ resendWindowMs: 6 * 24 * HOUR_MS })

/** Longer than the server's own limit with its provider (10 s), or we would make the doubt ourselves. */
const ATTEMPT_LIMIT_MS = 15_000

type Options<Data, Variables> = UseIdempotentMutationOptions<Data, Error | Response, Variables>

/** What the shop changes on the server, each under an idempotency key. */
export function createPayments(
  session: Session,
  log: PaymentLog,
  attemptTimeoutMs = ATTEMPT_LIMIT_MS,
) {
  /** Sends what `request` sends, and writes down what came back. */
  async function logged(entry: PaymentRequestLine, request: () => Promise<Response>) {
    const answered = log.recordSend(entry)
    try {
      const response = await request()
      answered(response)
      return response
    } catch (error) {
      answered(undefined)
      throw error
    }
  }

  const pay = async (payment: PaymentRequest, context: IdempotentMutationContext) => {
    const { order } = payment
    const { attempt, idempotencyKey: key } = context
    const response = await logged({ kind: 'pay', order, key, attempt }, () =>
      post(session, '/payments', payment, context),
    )
    return readOwnAnswer<Payment>(response)
  }

  const askAbout = async (kind: 'look-up' | 'fence', order: string, key: string) => {
    const path = `/payments/by-key/${encodeURIComponent(key)}`
    const response = await logged({ kind, order, key }, () =>
      kind === 'fence' ? session.send(`${path}/fence`, { method: 'POST' }) : session.send(path),
    )
    return readKeyAnswer<Payment>(response)
  }

  return {
    /** Paying this order: one intent, whatever is clicked. */
    payment: ({ id }: Pick<Order, 'id'>) =>
      ({
        mutationKey: ['pay'],
        subject: ['order', id],
        intent: payment => ['order', payment.order],
        principal: VISITOR,
        journal: defaultJournal(),
        contract: payingContract,
        attemptTimeoutMs,
        mutationFn: pay,
        lookUp: key => askAbout('look-up', id, key),
        fence: key => askAbout('fence', id, key),
      }) satisfies Options<Payment, PaymentRequest> as Options<Payment, PaymentRequest>,

    /** Making an order of this cart: one intent, until the person starts over. */
    placement: (cart: string) =>
      ({
        mutationKey: ['place-order'],
        subject: ['cart', cart],
        intent: request => ['cart', request.cart],
        principal: VISITOR,
        journal: defaultJournal(),
        contract: placingContract,
        attemptTimeoutMs,
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
