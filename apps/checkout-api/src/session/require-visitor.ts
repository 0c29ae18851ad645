import type { Context, MiddlewareHandler } from 'hono'
import type { Database } from '../database/database.ts'
import { answerProblem } from '../problem.ts'
import { findVisitor } from './sessions.ts'
import type { Visitor } from './visitor.ts'

/** What the middlewares here leave behind for the route: `context.var.visitor`. */
export interface VisitorEnv {
  Variables: { visitor: Visitor }
}

/**
 * Lets only those through who are logged in, by `Authorization: Bearer <token>`, and sets
 * `context.var.visitor`, whose `id` is the principal of the request. One indexed SELECT per request.
 *
 * A token that is missing, unknown or expired is answered with 401 `login-required`, without a word
 * about which of these it is.
 *
 * @see RFC 6750 §2.1 (the request) and §3 (`WWW-Authenticate`)
 * @example
 * new Hono().get('/mine', requireVisitor(database), context => context.text(context.var.visitor.id))
 */
export function requireVisitor(database: Database): MiddlewareHandler<VisitorEnv> {
  return async (context, next) => {
    const token = readBearerToken(context)
    const visitor = token === undefined ? undefined : await findVisitor(database, token)
    if (!visitor) return answerLoginRequired(context)
    context.set('visitor', visitor)
    return next()
  }
}

/**
 * The same, except that a request without any `Authorization` is let through as `visitor`, for pages
 * without a login. A token that came and is not good is 401 here as well: whoever sends one means to
 * be somebody, and must not be shown somebody else's things.
 */
export function visitorOr(visitor: Visitor, database: Database): MiddlewareHandler<VisitorEnv> {
  const requireLogin = requireVisitor(database)
  return (context, next) => {
    if (context.req.header('Authorization') !== undefined) return requireLogin(context, next)
    context.set('visitor', visitor)
    return next()
  }
}

/** The token of `Authorization: Bearer <token>`; undefined where there is none or it is not one. */
export function readBearerToken(context: Context): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(context.req.header('Authorization') ?? '')?.[1]
}

export function answerLoginRequired(context: Context): Response {
  context.header('WWW-Authenticate', 'Bearer')
  return answerProblem(context, {
    type: 'login-required',
    status: 401,
    title: 'Log in first',
    detail: 'Send Authorization: Bearer <token>, with a token from POST /session.',
  })
}
