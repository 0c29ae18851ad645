import {
  CANCELLED,
  CAUSES,
  DISCONNECTED,
  FETCH_FAILED,
  findAt,
  MAX_DEPTH,
  readErrorStatus,
  readLabel,
  TIMED_OUT,
} from './error-shape.ts'
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

/** Connect and gRPC codes with an HTTP status of the same meaning. */
const CONNECT_STATUS: Record<string, number> = {
  'ConnectError 4': 504,
  'ConnectError 8': 429,
  'ConnectError 14': 503,
}
/** A breaker's refusal: not sent, and the dependency knows nothing of it. */
export const CIRCUIT_OPEN: Failure = {
  kind: 'refused',
  retryable: true,
  reason: 'circuit-open',
  effect: 'none',
}

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
  let failure: Failure | undefined
  const visit = (each: unknown, depth: number): void => {
    if (depth < 0 || !each) return
    const found = classifyOne(each, options)
    // A wait that the server asked for counts wherever it is found: a wrapper often carries the status on and
    // drops the headers.
    failure = failure
      ? { ...failure, serverWaitMs: failure.serverWaitMs ?? found?.serverWaitMs }
      : found
    for (const key of CAUSES) visit(readProperty(each, key), depth - 1)
  }
  visit(error, MAX_DEPTH)
  return failure ?? withoutAnswer('unknown')
}

/** A failure without an answer: whether the request took effect is unknown. */
function withoutAnswer(kind: Failure['kind'], retryable = false, reason: string = kind): Failure {
  return { kind, retryable, reason, effect: 'unknown' }
}

function classifyOne(error: unknown, options: ClassifyOptions): Failure | undefined {
  const label = readLabel(error, 'code')
  if (CANCELLED.test(label)) return withoutAnswer('cancelled')
  if (/^DeadlineExceededError /.test(label)) return withoutAnswer('refused', false, 'deadline')
  if (/^CircuitOpenError /.test(label)) return { ...CIRCUIT_OPEN }
  const status = readErrorStatus(error) || CONNECT_STATUS[label]
  if (!status) {
    if (TIMED_OUT.test(label)) return withoutAnswer('timeout', true, 'attempt-timeout')
    const isLost = DISCONNECTED.test(label) || FETCH_FAILED.test(readLabel(error, 'message'))
    return isLost ? withoutAnswer('network', true) : undefined
  }

  // Connect calls them metadata.
  const headers = findAt(
    error,
    ['headers', 'response.headers', 'meta.response.headers', 'metadata', '$response.headers'],
    Boolean,
  )
  const serverWaitMs = readServerWait(headers, options.nowEpochMs)
  const verdict =
    readHeader(headers, 'x-should-retry') || readHeader(headers, 'stripe-should-retry')
  const serverSaysRetry = verdict === 'true' || (verdict === 'false' ? false : undefined)
  return {
    kind: 'http',
    retryable:
      serverSaysRetry || (options.retryableStatuses ?? RETRYABLE_STATUSES).includes(status),
    reason: `http-${status}`,
    status,
    serverWaitMs,
    serverSaysRetry,
    // Turned away before the work; or not settled, since proxies misuse 408, and 409 may mean "still running"; or a
    // definite refusal.
    effect: [401, 403, 407, 425, 429].includes(status)
      ? 'none'
      : status >= 500 || [408, 409].includes(status)
        ? 'unknown'
        : 'rejected',
  }
}
