import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Base of the problem types: stable names to compare, not pages to open. */
const TYPES = 'https://query-retry.example/problems/'

export interface Problem {
  /** Slug that clients tell problems apart by, for example `order-not-found`. */
  type: string
  status: ContentfulStatusCode
  title: string
  detail?: string
  /** Further members, as RFC 9457 §3.2 allows. */
  [extension: string]: unknown
}

/**
 * An error answer as `application/problem+json`.
 *
 * @see RFC 9457
 */
export function answerProblem(context: Context, problem: Problem): Response {
  return context.body(problemBody(problem), problem.status, {
    'Content-Type': 'application/problem+json',
  })
}

/** The JSON text of a problem, for answers that are stored before they are sent. */
export function problemBody({ type, ...members }: Problem): string {
  return JSON.stringify({ type: TYPES + type, ...members })
}

/** One wrong field of a request: what came and what would have been right. */
export interface FieldError {
  field: string
  value: string
  accepted: string
}

/** 400 for a request whose fields are wrong. The detail says it for people, `errors` for programs. */
export function answerInvalid(context: Context, errors: readonly FieldError[]): Response {
  return answerProblem(context, {
    type: 'invalid-request',
    status: 400,
    title: 'The request is not valid',
    detail: errors
      .map(({ field, value, accepted }) => `${field} is ${value}; accepted: ${accepted}`)
      .join('. '),
    errors,
  })
}
