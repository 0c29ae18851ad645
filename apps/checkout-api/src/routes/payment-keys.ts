import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { Database } from '../database/database.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import type { KeyState } from '../idempotency/key-state.ts'
import { keyMismatch } from '../idempotency/recall.ts'
import { PAY } from '../payments/payment-operation.ts'
import { answerInvalid, answerProblem } from '../problem.ts'
import { requireVisitor, type VisitorEnv } from '../session/require-visitor.ts'
import { type IdempotencyKeyEnv, sendReply } from './idempotency-key.ts'

/** What became of a payment, by its idempotency key. */
export type PaymentKeyState =
  /** It will be settled, with its client or without. */
  | { state: 'running' }
  /** Nothing was charged, and nothing will be until the same request is sent again. */
  | { state: 'waiting' }
  /** Settled. `answer` is what `POST /payments` answers under this key, now and later. */
  | { state: 'done'; answer: { status: number; body: unknown } }
  /** Settled so long ago that the answer is kept no more. */
  | { state: 'expired' }
  /** A person is finding out. */
  | { state: 'review' }

const LOOK_AGAIN_SECONDS = 1

/**
 * `GET /payments/by-key/:key` looks a key up; `POST /payments/by-key/:key/fence` burns it if nothing
 * has begun under it. Both answer with the key's state; a key is burnt when that is `done` with a
 * `key-fenced` answer.
 */
export function paymentKeyRoutes(database: Database, idempotency: Idempotency) {
  return new Hono<VisitorEnv & IdempotencyKeyEnv>()
    .get('/payments/by-key/:key', requireVisitor(database), readKeyOfPath(), async context => {
      const { visitor, idempotencyKey: key } = context.var
      const state = await idempotency.lookUp({ scope: visitor.id, key, operation: PAY })
      return answerState(context, state)
    })
    .post(
      '/payments/by-key/:key/fence',
      requireVisitor(database),
      readKeyOfPath(),
      async context => {
        const { visitor, idempotencyKey: key } = context.var
        const state = await idempotency.fence({ scope: visitor.id, key, operation: PAY })
        return answerState(context, state)
      },
    )
}

function readKeyOfPath(): MiddlewareHandler<IdempotencyKeyEnv> {
  return async (context, next) => {
    const reading = readIdempotencyKey(context.req.param('key'))
    if (!reading.ok) {
      return answerInvalid(context, [
        { field: 'key', value: 'no idempotency key', accepted: reading.detail },
      ])
    }
    context.set('idempotencyKey', reading.key)
    return next()
  }
}

function answerState(context: Context, known: KeyState): Response {
  switch (known.state) {
    case 'not-found':
      return answerProblem(context, {
        type: 'key-not-found',
        status: 404,
        title: 'Nothing has come under this idempotency key',
        detail: 'That is no proof that nothing will: the request may still be under way.',
      })
    case 'mismatch':
      return sendReply(context, keyMismatch())
    case 'done': {
      const { status, body } = known.answer
      const answer = { status, body: JSON.parse(Buffer.from(body).toString()) }
      return context.json<PaymentKeyState>({ state: 'done', answer })
    }
    case 'expired':
      if (known.headers.Link) context.header('Link', known.headers.Link)
      return context.json<PaymentKeyState>({ state: 'expired' })
    case 'running':
      context.header('Retry-After', String(LOOK_AGAIN_SECONDS))
      return context.json<PaymentKeyState>({ state: 'running' })
    default:
      return context.json<PaymentKeyState>({ state: known.state })
  }
}
