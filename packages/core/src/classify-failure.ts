import isNetworkError from 'is-network-error'
import type { Failure } from './failure.ts'
import { readHeader } from './headers.ts'
import { readProperty } from './read-shape.ts'
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
const CAUSES = ['cause', 'context', 'originalError']
/** Deeper than any client nests; a bound against hostile chains. */
const MAX_DEPTH = 8

const CANCELLED_NAMES = ['AbortError', 'CanceledError']
const TIMEOUT_CODE = /^(ECONNABORTED|ETIMEDOUT|UND_ERR_\w+_TIMEOUT)$/
const NETWORK_CODE =
  /^(ERR_NETWORK|ECONNREFUSED|ECONNRESET|ENOTFOUND|ENETDOWN|ENETUNREACH|EHOSTUNREACH|EPIPE|EAI_AGAIN|UND_ERR_SOCKET)$/
/** Statuses that turn a request away before the work. */
const TURNED_AWAY = [401, 403, 407, 425, 429]
/** 4xx that do not settle whether the request took effect: proxies misuse 408, and 409 may mean "still running". */
const UNSETTLED = [408, 409]
/** Connect and gRPC codes with an HTTP status of the same meaning. */
const CONNECT_STATUS: Record<number, number> = { 4: 504, 8: 429, 14: 503 }

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
  const seen = new Set<unknown>()
  let level = [error]
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    for (const candidate of level) {
      seen.add(candidate)
      const failure = classifyOne(candidate, options)
      if (failure) return failure
    }
    level = level
      .flatMap(parent => CAUSES.map(key => readProperty(parent, key)))
      .filter(child => typeof child === 'object' && child !== null && !seen.has(child))
  }
  return { kind: 'unknown', retryable: false, reason: 'unknown', effect: 'unknown' }
}

function classifyOne(error: unknown, options: ClassifyOptions): Failure | undefined {
  const name = readProperty(error, 'name')
  const code = readProperty(error, 'code')
  const isConnect = name === 'ConnectError'

  if (
    CANCELLED_NAMES.includes(name as string) ||
    code === 'ERR_CANCELED' ||
    (isConnect && code === 1)
  ) {
    return { kind: 'cancelled', retryable: false, reason: 'cancelled', effect: 'unknown' }
  }
  if (code === 'DEADLINE_EXCEEDED') {
    return { kind: 'refused', retryable: false, reason: 'deadline', effect: 'unknown' }
  }
  if (code === 'ATTEMPT_TIMEOUT') {
    return { kind: 'timeout', retryable: true, reason: 'attempt-timeout', effect: 'unknown' }
  }
  const response =
    readProperty(error, 'response') ?? readProperty(readProperty(error, 'meta'), 'response')
  const status =
    asErrorStatus(readProperty(error, 'status')) ??
    asErrorStatus(readProperty(error, 'statusCode')) ??
    asErrorStatus(readProperty(response, 'status')) ??
    asErrorStatus(readProperty(readProperty(error, 'data'), 'httpStatus'))
  if (status !== undefined) return classifyStatus(status, error, response, options)
  if (name === 'TimeoutError' || matches(TIMEOUT_CODE, code)) {
    return { kind: 'timeout', retryable: true, reason: 'timeout', effect: 'unknown' }
  }
  if (matches(NETWORK_CODE, code) || isFetchFailure(error)) {
    return { kind: 'network', retryable: true, reason: 'network', effect: 'unknown' }
  }
  const connectStatus = isConnect ? CONNECT_STATUS[code as number] : undefined
  return connectStatus === undefined
    ? undefined
    : classifyStatus(connectStatus, error, response, options)
}

function classifyStatus(
  status: number,
  error: unknown,
  response: unknown,
  { retryableStatuses = RETRYABLE_STATUSES, nowEpochMs }: ClassifyOptions,
): Failure {
  const headers = ['headers', 'metadata'].reduce(
    (found, key) => found ?? readProperty(error, key),
    readProperty(response, 'headers'),
  )
  const serverWaitMs = readServerWait(headers, nowEpochMs)
  const verdict =
    readHeader(headers, 'x-should-retry') ?? readHeader(headers, 'stripe-should-retry')
  const serverSaysRetry = verdict === 'true' ? true : verdict === 'false' ? false : undefined
  const isSettled = status < 500 && !UNSETTLED.includes(status)
  return {
    kind: 'http',
    retryable: serverSaysRetry === true || retryableStatuses.includes(status),
    reason: `http-${status}`,
    status,
    ...(serverWaitMs !== undefined && { serverWaitMs }),
    ...(serverSaysRetry !== undefined && { serverSaysRetry }),
    effect: TURNED_AWAY.includes(status) ? 'none' : isSettled ? 'rejected' : 'unknown',
  }
}

/** A status from 400 to 599. A lower one is no failure by itself: the body was cut, or GraphQL has `errors`. */
function asErrorStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
    ? status
    : undefined
}

function matches(pattern: RegExp, code: unknown): boolean {
  return typeof code === 'string' && pattern.test(code)
}

/** Supabase hands a lost connection on as text: `{ message: 'TypeError: Failed to fetch' }`. */
function isFetchFailure(error: unknown): boolean {
  try {
    const message = readProperty(error, 'message')
    const [, quoted] = (typeof message === 'string' && /^TypeError: (.*)/.exec(message)) || []
    return isNetworkError(error) || (quoted !== undefined && isNetworkError(new TypeError(quoted)))
  } catch {
    return false
  }
}
