import {
  CANCELLED,
  CAUSES,
  DISCONNECTED,
  FETCH_FAILED,
  MAX_DEPTH,
  readErrorStatus,
  readLabel,
  TIMED_OUT,
} from './error-shape.ts'
import { readProperty } from './read-shape.ts'

/** Connect's and gRPC's two codes for no answer. */
const UNAVAILABLE = /^ConnectError (4|14)$/

/**
 * Whether an error shows that the dependency is in trouble: a 5xx, a network failure or a timeout.
 *
 * Reads errors as `classifyFailure` does, through `cause`. Not the dependency's failure are 4xx (it answered),
 * aborts, a circuit that is open, and errors that say nothing of a request, programming mistakes among them.
 * A `DeadlineExceededError` is what its `cause` is.
 *
 * @param error - anything, hostile values included
 * @returns never throws
 * @example
 * isDependencyFailure({ status: 503 }) // => true
 * isDependencyFailure({ response: { status: 404 } }) // => false
 * isDependencyFailure(new TypeError('Failed to fetch')) // => true
 * isDependencyFailure(new TypeError('x is not a function')) // => false
 */
export function isDependencyFailure(error: unknown): boolean {
  return readVerdict(error, MAX_DEPTH) === true
}

/** Whether an error says that a limit on time was reached. */
export function isTimeout(error: unknown): boolean {
  return TIMED_OUT.test(readLabel(error, 'code'))
}

/** `undefined` where neither the error nor what it came from says anything of a request. */
function readVerdict(error: unknown, depth: number): boolean | undefined {
  const label = readLabel(error, 'code')
  if (CANCELLED.test(label)) return false
  const status = readErrorStatus(error)
  if (status) return status >= 500
  if (TIMED_OUT.test(label) || UNAVAILABLE.test(label) || DISCONNECTED.test(label)) return true
  if (FETCH_FAILED.test(readLabel(error, 'message'))) return true
  if (!depth || !error) return undefined
  return CAUSES.map(key => readVerdict(readProperty(error, key), depth - 1)).find(
    verdict => verdict !== undefined,
  )
}
