import {
  CANCELLED,
  CAUSES,
  isErrorStatus,
  MAX_DEPTH,
  NETWORK,
  STATUS_PATHS,
  TIMED_OUT,
} from './classify-failure.ts'
import { asText, readProperty } from './read-shape.ts'

/**
 * Name, code and message where no answer arrived: Connect's and gRPC's two codes for it, and what `fetch` says
 * in the words of browsers and runtimes. Shorter and laxer than `is-network-error`, which would be about 0.3
 * of the 2 kB that a breaker may weigh; a test holds the two together.
 */
const NO_ANSWER =
  /^ConnectError (4|14) |TypeError:? +(failed to fetch|(fetch|load) failed|terminated$|error sending|(a )?network|the internet)/i

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
  return TIMED_OUT.test(labelOf(error))
}

/** `undefined` where neither the error nor what it came from says anything of a request. */
function readVerdict(error: unknown, depth: number): boolean | undefined {
  const read = (path: string) => path.split('.').reduce(readProperty, error)
  const label = labelOf(error)
  if (CANCELLED.test(label)) return false
  const status = Number(STATUS_PATHS.map(read).find(isErrorStatus))
  if (status) return status >= 500
  if (TIMED_OUT.test(label) || NETWORK.test(label)) return true
  if (NO_ANSWER.test(`${label} ${asText(read('message'))}`)) return true
  if (!depth || !error) return undefined
  return CAUSES.map(key => readVerdict(read(key), depth - 1)).find(verdict => verdict !== undefined)
}

function labelOf(error: unknown): string {
  return ['name', 'code'].map(key => asText(readProperty(error, key))).join(' ')
}
