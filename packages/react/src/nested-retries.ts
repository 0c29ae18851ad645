import { nameOf, warnOnce } from './development-warnings.ts'
import type { FailedAttempt } from './mutations/failed-attempts.ts'
import type { Operation } from './operation.ts'

// Bundlers replace the expression below, and production builds lose all of this file with it. Calls are
// lost where the function has no body left, and its parameters are names: nothing is taken apart in them.
declare const process: { env: { NODE_ENV?: string } }

/** How to turn off the retries of each client that is recognised. */
const HOW_TO_TURN_OFF = {
  ky: '`retry: 0` in its options',
  ofetch: '`retry: false` in its options',
  'axios-retry': "`'axios-retry': { retries: 0 }` in the request's config",
  got: '`retry: { limit: 0 }` in its options',
  'AWS SDK': "`maxAttempts: 1` in the client's config",
}

/** Retries that a client made by itself, inside what the preset takes for one attempt. */
export interface InnerRetries {
  client: keyof typeof HOW_TO_TURN_OFF
  /** At least 1; the first call is not counted. */
  retries: number
}

/** A client's retries under those of a preset. */
export interface NestedRetries extends InnerRetries {
  /** What the server receives for one operation that fails for good; `Infinity` where `maxRetries` is. */
  calls: number
}

/** Reads a path of property names from an error. */
type Read = (...path: string[]) => unknown

const READERS: Record<InnerRetries['client'], (read: Read) => unknown> = {
  'axios-retry': read => read('config', 'axios-retry', 'retryCount'),
  got: read => read('options', 'retry', 'limit') !== undefined && read('request', 'retryCount'),
  'AWS SDK': read => Number(read('$metadata', 'attempts')) - 1,
  ky: readKy,
  ofetch: readOfetch,
}

/** Deeper than any client nests; a bound against hostile chains. */
const MAX_DEPTH = 5

/**
 * How often the client that an error comes from has retried by itself.
 *
 * Reads by shape, through `cause`, without importing any client. What they leave on their errors differs:
 *
 * - axios-retry, got and the AWS SDK v3 leave the number of retries or attempts that they made, after lost
 *   connections as well. axios-retry counts one more where its request's `timeout` left no time for it.
 * - ky leaves its options, method and status on an `HTTPError`: the number is its `limit` where it retries
 *   such a failure. Where `retry.shouldRetry` decides nobody knows, and a lost connection is a `TypeError`
 *   of `fetch` (in ky 2 a `NetworkError` without options), on which nothing of the retries is left.
 * - ofetch counts `options.retry` down to 0, which is also what "never" looks like, but each retry is a
 *   frame in the stack. V8 alone keeps those (Chrome, Edge, Node.js), and by default 10 in all.
 *
 * @param error - anything, hostile values included
 * @returns undefined where there were none, or none can be read. Never throws.
 */
export function readInnerRetries(error: unknown): InnerRetries | undefined {
  let current = error
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const read: Read = (...path) =>
      path.reduce<unknown>((value, key) => Object(value)[key], current)
    for (const client of Object.keys(READERS) as InnerRetries['client'][]) {
      const retries = quietly(() => READERS[client](read))
      if (Number.isSafeInteger(retries) && Number(retries) > 0) {
        return { client, retries: Number(retries) }
      }
    }
    current = quietly(() => read('cause'))
  }
  return undefined
}

function readKy(read: Read): unknown {
  const method = String(read('request', 'method')).toLowerCase()
  const status = read('response', 'status')
  const isRetried =
    includes(read('options', 'retry', 'methods'), method) &&
    includes(read('options', 'retry', 'statusCodes'), status) &&
    // Retried where the server says when.
    status !== 413 &&
    !read('options', 'retry', 'shouldRetry')
  return isRetried && read('options', 'retry', 'limit')
}

function readOfetch(read: Read): unknown {
  if (read('name') !== 'FetchError' || read('options', 'retry') !== 0) return undefined
  const frames = String(read('stack'))
    .split(/\n +at /)
    .slice(1)
    .filter(frame => !frame.includes('processTicksAndRejections'))
  // The frame of the last call is not among them, so each stands for a retry.
  const isRetry = (frame: string) => /^async (\w+\.)?\$fetchRaw/.test(frame)
  return frames.findIndex(frame => !isRetry(frame))
}

function includes(list: unknown, value: unknown): boolean {
  return Array.isArray(list) && list.includes(value)
}

/** What hostile getters and proxies throw is nothing to read. */
function quietly(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return undefined
  }
}

const largestByPreset = new WeakMap<object, Map<InnerRetries['client'], NestedRetries>>()

/**
 * In development, the clients that retried by themselves under this preset so far, each with the most
 * calls that one operation may come to by it. Empty in production.
 *
 * @param preset - its `onEvent`, which its queries and its mutations have in common
 */
export function nestedRetriesOf(preset: object): NestedRetries[] {
  if (process.env.NODE_ENV === 'production') return []
  return [...(largestByPreset.get(preset)?.values() ?? [])]
}

/**
 * In development, remembers a client that retried by itself and whose failure the preset retries as well,
 * and says once for each client and number what the two come to.
 *
 * @param preset - what {@link nestedRetriesOf} finds it by
 */
export function warnAboutNestedRetries(preset: object, operation: Operation): void {
  if (process.env.NODE_ENV === 'production') return
  const { query, lastError, policy } = operation
  noticeNested(preset, lastError, policy.options.maxRetries, {
    name: `Query ${query.queryHash}`,
    off: '`meta: { retry: { maxRetries: 0 } }`',
  })
}

/** {@link warnAboutNestedRetries} for an attempt under an idempotency key. */
export function warnAboutNestedMutation(attempt: FailedAttempt): void {
  if (process.env.NODE_ENV === 'production') return
  const { error, mutation, retry, settings, verdict } = attempt
  // Waits for a request in progress are not counted.
  if (!retry || !settings || verdict?.kind === 'in-progress') return
  noticeNested(settings.onEvent, error, settings.policy.options.maxRetries, {
    name: nameOf(mutation?.options.mutationKey),
    off: '`retry: false`',
  })
}

function noticeNested(
  preset: object,
  error: unknown,
  maxRetries: number,
  { name, off }: { name: string; off: string },
): void {
  const inner = readInnerRetries(error)
  if (!inner) return
  const { client, retries } = inner
  const calls = (1 + retries) * (1 + maxRetries)
  const largest = largestByPreset.get(preset) ?? new Map<InnerRetries['client'], NestedRetries>()
  largestByPreset.set(preset, largest)
  if (calls > (largest.get(client)?.calls ?? 0)) largest.set(client, { client, retries, calls })
  const total = calls === Infinity ? 'calls without end' : `up to ${calls} calls`
  warnOnce(
    `${name} failed in ${client}, which retries by itself: ${client} ${retries} + preset ${maxRetries} = ${total}. ` +
      `Turn one of them off: ${client}'s with ${HOW_TO_TURN_OFF[client]}, or the preset's with ${off}.`,
    `nested ${client} ${retries} ${maxRetries}`,
  )
}
