import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

const LOCAL_PAGE = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

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
    exposeHeaders: ['Retry-After', 'Date', 'Idempotent-Replayed', 'Idempotency-Status', 'Location'],
    maxAge: 600,
  })
}

function originOf(allowedOrigins: readonly string[] | undefined) {
  if (allowedOrigins?.includes('*')) return '*'
  return (origin: string) => {
    const isAllowed = allowedOrigins ? allowedOrigins.includes(origin) : LOCAL_PAGE.test(origin)
    return isAllowed ? origin : null
  }
}
