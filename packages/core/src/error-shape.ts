import { asText, readProperty } from './read-shape.ts'

/** Where an error keeps the one it came from: the standard's `cause`, and Supabase's two names for it. */
export const CAUSES = ['cause', 'context', 'originalError']
/** Deeper than any client nests; a bound against hostile chains. */
export const MAX_DEPTH = 5

/** These match what {@link readLabel} gives. */
export const CANCELLED = /^(Abort|Canceled)Error | ERR_CANCELED$|^ConnectError 1$/
export const TIMED_OUT = /^TimeoutError | (ECONNABORTED|ETIMEDOUT|(UND_ERR_\w+|ATTEMPT)_TIMEOUT)$/
/**
 * With the message after it: Node's codes for a lost connection, and what `fetch` says of one in the words of
 * browsers and runtimes; as Supabase has it, with the name in the text.
 */
export const NO_ANSWER =
  /^\S* (ERR_NETWORK|UND_ERR_SOCKET|E(CONN|NET|HOST|PIPE|NOTFOUND|AI_))|^\w* ?TypeError\W+((failed to fetch|fetch failed|load failed|terminated)( \(|$)|(a )?network ?(error|request|connection)|the internet|error sending)/i

/** The first value of those that paths such as `'response.status'` lead to that is looked for. Never throws. */
export function findAt(
  error: unknown,
  paths: string[],
  isIt: (value: unknown) => boolean,
): unknown {
  return paths.map(path => path.split('.').reduce(readProperty, error)).find(isIt)
}

/** An error's name and code, with a space between. */
export function readLabel(error: unknown): string {
  return `${asText(readProperty(error, 'name'))} ${asText(readProperty(error, 'code'))}`
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
