import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import type { Reply } from '../idempotency/recall.ts'
import { answerProblem } from '../problem.ts'

export interface IdempotencyKeyEnv {
  Variables: { idempotencyKey: string }
}

/** Lets only requests with a well-formed `Idempotency-Key` through and sets `context.var.idempotencyKey`. */
export function requireIdempotencyKey(): MiddlewareHandler<IdempotencyKeyEnv> {
  return async (context, next) => {
    const reading = readIdempotencyKey(context.req.header('Idempotency-Key'))
    if (!reading.ok) return answerKeyProblem(context, reading.problem, reading.detail)
    context.set('idempotencyKey', reading.key)
    return next()
  }
}

function answerKeyProblem(
  context: Context,
  problem: 'missing' | 'invalid',
  detail: string,
): Response {
  return answerProblem(context, {
    type: `idempotency-key-${problem}`,
    status: 400,
    title:
      problem === 'missing'
        ? 'This request needs an idempotency key'
        : 'The idempotency key is not valid',
    detail,
  })
}

/**
 * Sends what the idempotency layer said, byte for byte. `Idempotency-Status` marks an answer as the
 * key's own: `completed` the first time, `replayed` (with `Idempotent-Replayed: true`) ever after.
 */
export function sendReply(context: Context, reply: Reply): Response {
  if (reply.idempotencyStatus) context.header('Idempotency-Status', reply.idempotencyStatus)
  if (reply.idempotencyStatus === 'replayed') context.header('Idempotent-Replayed', 'true')
  // A Uint8Array of its own: the stored one may be a window on a driver's buffer.
  return context.body(
    new Uint8Array(reply.body),
    reply.status as ContentfulStatusCode,
    reply.headers,
  )
}
