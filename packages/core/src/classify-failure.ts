import isNetworkError from 'is-network-error'
import type { Failure } from './failure.ts'
import { readHeader } from './headers.ts'
import { asText, readProperty } from './read-shape.ts'
import { readServerWait } from './retry-after.ts'

/** Statuses that may go away by themselves. 500 is not among them: it is mostly a bug. */
export const RETRYABLE_STATUSES: readonly number[] = [408, 429, 502, 503, 504]

export interface ClassifyOptions {
  /** Statuses worth another attempt. Default {@link RETRYABLE_STATUSES}. */
  retryableStatuses?: readonly number[]
  /** Wall clock, Unix milliseconds, for a `Retry-After` date on a response without `Date`. Default `Date.now()`. */
  nowEpochMs?: number
}

/** Turns whatever an attempt threw into a {@link Failure}; {@link classifyFailure} is the default one. */
export type Classify = (error: unknown, options?: ClassifyOptions) => Failure

/** Where an error keeps the one it came from: the standard's `cause`, and Supabase's two names for it. */
export const CAUSES = ['cause', 'context', 'originalError']
/** Deeper than any client nests; a bound against hostile chains. */
export const MAX_DEPTH = 5

/** These match an error's name and code, with a space between. */
export const CANCELLED = /^(Abort|Canceled)Error | ERR_CANCELED$|^ConnectError 1$/
export const TIMED_OUT = /^TimeoutError | (ECONNABORTED|ETIMEDOUT|(UND_ERR_\w+|ATTEMPT)_TIMEOUT)$/
export const NETWORK = / (ERR_NETWORK|UND_ERR_SOCKET|E(CONN|NET|HOST|PIPE|NOTFOUND|AI_))/
/** Connect and gRPC codes with an HTTP status of the same meaning. */
export const CONNECT_STATUS: Record<string, number> = {
  'ConnectError 4': 504,
  'ConnectError 8': 429,
  'ConnectError 14': 503,
}
/** Where clients keep the status: most of them, Node and ofetch, axios and graphql-request, got, AWS, tRPC twice. */
export const STATUS_PATHS = [
  'status',
  'statusCode',
  'response.status',
  'response.statusCode',
  '$response.statusCode',
  'data.httpStatus',
  'meta.response.status',
]
/** A breaker's refusal: not sent, and the dependency knows nothing of it. */
export const CIRCUIT_OPEN: Failure = {
  kind: 'refused',
  retryable: true,
  reason: 'circuit-open',
  effect: 'none',
}
/** Where they keep the headers; Connect calls them metadata. */
const HEADER_PATHS = [
  'headers',
  'response.headers',
  'meta.response.headers',
  'metadata',
  '$response.headers',
]
/** Statuses that turn a request away before the work. */
const TURNED_AWAY = [401, 403, 407, 425, 429]
/** 4xx that do not settle whether the request took effect: proxies misuse 408, and 409 may mean "still running". */
const UNSETTLED = [408, 409]

/**
 * Says what a failed attempt means: what happened, whether another attempt may help, how long the
 * server asks us to wait, and whether the request may have taken effect.
 *
 * Reads by shape, through `cause`, without importing any client: fetch's `Response`, axios, ky,
 * ofetch, graphql-request, tRPC, Connect, Supabase, Node's error codes and plain `{ status }`.
 * A `TypeError` is a network failure only where its text is one that a `fetch` gives; a programming
 * mistake is not retried, and neither is an abort.
 *
 * @param error - anything, hostile values included
 * @returns never throws
 * @example
 * classifyFailure({ status: 503 }).retryable // => true
 * classifyFailure({ response: { status: 404 } }).reason // => 'http-404'
 * classifyFailure(new TypeError('x is not a function')).retryable // => false
 */
export function classifyFailure(error: unknown, options: ClassifyOptions = {}): Failure {
  return classifyDeep(error, options, MAX_DEPTH) ?? withoutAnswer('unknown', false)
}

/**
 * The first failure that this error or what it came from shows; a wait that the server asked for counts
 * wherever it is found, since a wrapper often carries the status on and drops the headers. The bound on
 * depth ends cycles as well.
 */
function classifyDeep(
  error: unknown,
  options: ClassifyOptions,
  depth: number,
): Failure | undefined {
  if (depth < 0 || Object(error) !== error) return undefined
  let failure = classifyOne(error, options)
  for (const key of CAUSES) {
    const inner = classifyDeep(readProperty(error, key), options, depth - 1)
    if (!failure) failure = inner
    else if (inner?.serverWaitMs) failure = { serverWaitMs: inner.serverWaitMs, ...failure }
  }
  return failure
}

/** A failure without an answer: whether the request took effect is unknown. */
function withoutAnswer(kind: Failure['kind'], retryable: boolean, reason: string = kind): Failure {
  return { kind, retryable, reason, effect: 'unknown' }
}

function classifyOne(error: unknown, options: ClassifyOptions): Failure | undefined {
  const read = (path: string) => path.split('.').reduce(readProperty, error)
  const label = `${asText(read('name'))} ${asText(read('code'))}`

  if (CANCELLED.test(label)) return withoutAnswer('cancelled', false)
  if (/^DeadlineExceededError /.test(label)) return withoutAnswer('refused', false, 'deadline')
  if (/^CircuitOpenError /.test(label)) return CIRCUIT_OPEN
  const status = Number(STATUS_PATHS.map(read).find(isErrorStatus)) || CONNECT_STATUS[label]
  if (status) return classifyStatus(status, read, options)
  if (TIMED_OUT.test(label)) return withoutAnswer('timeout', true, 'attempt-timeout')
  if (NETWORK.test(label) || isFetchFailure(error)) return withoutAnswer('network', true)
  return undefined
}

function classifyStatus(
  status: number,
  read: (path: string) => unknown,
  { retryableStatuses = RETRYABLE_STATUSES, nowEpochMs }: ClassifyOptions,
): Failure {
  const headers = HEADER_PATHS.map(read).find(Boolean)
  const serverWaitMs = readServerWait(headers, nowEpochMs)
  const verdict =
    readHeader(headers, 'x-should-retry') || readHeader(headers, 'stripe-should-retry')
  const serverSaysRetry = verdict === 'true' || (verdict === 'false' ? false : undefined)
  const isSettled = status < 500 && !UNSETTLED.includes(status)
  return {
    kind: 'http',
    retryable: serverSaysRetry || retryableStatuses.includes(status),
    reason: `http-${status}`,
    status,
    ...(serverWaitMs !== undefined && { serverWaitMs }),
    ...(serverSaysRetry !== undefined && { serverSaysRetry }),
    effect: TURNED_AWAY.includes(status) ? 'none' : isSettled ? 'rejected' : 'unknown',
  }
}

/** From 400 to 599. A lower one is no failure by itself: the body was cut, or GraphQL has `errors`. */
export function isErrorStatus(value: unknown): boolean {
  return /^[45]\d\d$/.test(asText(value))
}

/** Supabase hands a lost connection on as text: `{ message: 'TypeError: Failed to fetch' }`. */
function isFetchFailure(error: unknown): boolean {
  const [before, quoted] = asText(readProperty(error, 'message')).split('TypeError: ')
  try {
    // Safari's text counts only without a stack.
    return isNetworkError(
      before ? error : Object.assign(new TypeError(quoted), { stack: undefined }),
    )
  } catch {
    return false
  }
}
