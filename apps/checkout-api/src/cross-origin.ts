import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { answerProblem } from './problem.ts'

const LOCAL_PAGE = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

const READABLE_HEADERS = [
  'Retry-After',
  'Date',
  'Idempotent-Replayed',
  'Idempotency-Status',
  'Location',
  'Link',
]

/**
 * Lets pages of other origins call every route and read the answers, errors included.
 *
 * None of the exposed headers is among those a page may read by default. Without `Retry-After` and
 * `Date` the shop could honour neither the server's wait nor its clock; the others say whether an
 * answer is a repetition, and where its result is.
 *
 * @param allowedOrigins - `*` or exact origins; undefined allows every page served from this machine
 */
export function crossOrigin(allowedOrigins: readonly string[] | undefined): MiddlewareHandler {
  return cors({
    origin: originOf(allowedOrigins),
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
    exposeHeaders: READABLE_HEADERS,
    maxAge: 600,
  })
}

/**
 * Keeps pages from elsewhere from changing anything. What a page may not read it can still send, as
 * long as the request looks like a form's.
 */
export function refuseForeignPages(): MiddlewareHandler {
  return async (context, next) => {
    const origin = context.req.header('Origin')
    if (context.req.method === 'GET' || origin === undefined || LOCAL_PAGE.test(origin))
      return next()
    return answerProblem(context, {
      type: 'foreign-page',
      status: 403,
      title: 'A page from elsewhere may not do this',
    })
  }
}

function originOf(allowedOrigins: readonly string[] | undefined) {
  if (allowedOrigins?.includes('*')) return '*'
  return (origin: string) => {
    const isAllowed = allowedOrigins ? allowedOrigins.includes(origin) : LOCAL_PAGE.test(origin)
    return isAllowed ? origin : null
  }
}
