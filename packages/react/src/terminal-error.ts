import { classifyFailure, type Failure } from '@query-retry/core'
import { CancelledError } from '@tanstack/react-query'
import { type AnyQuery, operationOf } from './operation.ts'

/**
 * What the last fetch of a query failed with, read by the query's own policy (`classify`, `meta.retry`)
 * where it went through a preset, else by {@link classifyFailure}.
 *
 * Undefined where the last fetch did not fail, where the next one of a query without data is running (TanStack
 * has dropped the error by then), and where somebody cancelled it, which says nothing of the server. Never throws.
 */
export function lastFailure(query: AnyQuery): Failure | undefined {
  const { error, status } = query.state
  if (status !== 'error' || isTakenBack(error)) return undefined
  const operation = operationOf(query)
  // Another error: the fetch that ended failed where no attempt did (`undefined` as data), or was hydrated.
  if (!operation || !Object.is(operation.lastError, error)) return classifyFailure(error)
  // A query with a `retry` of its own asked nobody what its failure means.
  return operation.failure ?? operation.policy.decide({ error, retryIndex: Infinity }).failure
}

/**
 * Whether the server has definitely refused, so that the same request would fail the same way, however much
 * later: a 4xx that is not worth a retry, or any status where the server itself says no. Whatever else ended the
 * last fetch may be mended meanwhile, a 500 by the next deployment and a page that is no JSON by the end of a
 * captive portal.
 */
export function isTerminal({ retryable, serverSaysRetry, status = 500 }: Failure): boolean {
  return serverSaysRetry === false || (status < 500 && !retryable)
}

function isTakenBack(error: unknown): boolean {
  try {
    return error instanceof CancelledError
  } catch {
    // A proxy.
    return false
  }
}
