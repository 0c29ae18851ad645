import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

const LOCAL_PAGE = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/**
 * Lets pages of other origins read the answers, errors included.
 *
 * `Retry-After` and `Date` are not among the headers a page may read by default; without exposing
 * them the shop could honour neither the server's wait nor its clock.
 *
 * @param allowedOrigins - `*` or exact origins; undefined allows every page served from this machine
 */
export function crossOrigin(allowedOrigins: readonly string[] | undefined): MiddlewareHandler {
  return cors({
    origin: originOf(allowedOrigins),
    allowMethods: ['GET', 'HEAD', 'PUT', 'DELETE'],
    exposeHeaders: ['Retry-After', 'Date'],
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
