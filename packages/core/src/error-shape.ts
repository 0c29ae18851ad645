import { asText, readProperty } from './read-shape.ts'

/** Where an error keeps the one it came from: the standard's `cause`, and Supabase's two names for it. */
export const CAUSES = ['cause', 'context', 'originalError']
/** Deeper than any client nests; a bound against hostile chains. */
export const MAX_DEPTH = 5

/** These match an error's name and code, as {@link readLabel} gives them. */
export const CANCELLED = /^(Abort|Canceled)Error | ERR_CANCELED$|^ConnectError 1$/
export const TIMED_OUT = /^TimeoutError | (ECONNABORTED|ETIMEDOUT|(UND_ERR_\w+|ATTEMPT)_TIMEOUT)$/
export const DISCONNECTED = / (ERR_NETWORK|UND_ERR_SOCKET|E(CONN|NET|HOST|PIPE|NOTFOUND|AI_))/
/**
 * Matches the name and message of a `fetch` without an answer, in the words of browsers and runtimes; Supabase has
 * the name in the text. A mistake can begin like them ("networkError is undefined"), but a name has no space in it.
 */
export const FETCH_FAILED =
  /^\S* ?TypeError:? +((failed to fetch|fetch failed|load failed|terminated)( \(|$)|(a )?network(error when| (error|request|connection))|the internet|error sending )/i

/** The first value at one of these paths (`'response.status'`) for which `isIt` holds. Never throws. */
export function findAt(
  error: unknown,
  paths: string[],
  isIt: (value: unknown) => boolean,
): unknown {
  return paths.map(path => path.split('.').reduce(readProperty, error)).find(isIt)
}

/** An error's name and another of its texts, with a space between. */
export function readLabel(error: unknown, key: 'code' | 'message'): string {
  return `${asText(readProperty(error, 'name'))} ${asText(readProperty(error, key))}`
}

/**
 * An error's status from 400 to 599, or else NaN. A lower one is no failure by itself: the body was cut, or GraphQL
 * has `errors`.
 */
export function readErrorStatus(error: unknown): number {
  // Most clients, Node and ofetch, axios and graphql-request, got, AWS, tRPC twice.
  const paths = [
    'status',
    'statusCode',
    'response.status',
    'response.statusCode',
    '$response.statusCode',
    'data.httpStatus',
    'meta.response.status',
  ]
  return Number(findAt(error, paths, value => /^[45]\d\d$/.test(asText(value))))
}
