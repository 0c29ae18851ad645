import { classifyFailure, readHeader, readServerWait } from '@query-retry/core'

/** What came back from a server, read by shape from whatever a mutation function threw. */
export interface Answer {
  /** 100 to 599; absent where nothing came back that a page may see: lost, timed out, aborted, opaque. */
  status?: number
  /** One header, empty where there is none or the server does not expose it. The name in lower case. */
  header(name: string): string
  /** The body where it says that it is JSON, and is. */
  body?: unknown
  /** How long the server asks to wait, where it does. */
  waitMs?: number
  /** `http-503`, `network`, `attempt-timeout`, `cancelled`, `unknown`: for a person, a log or a metric. */
  reason: string
  /** Whether core would send it again: a lost answer is worth it, a programming mistake is not. */
  isWorthRetrying: boolean
}

/** Where an error keeps the one it came from: the standard's `cause`, and Supabase's two names for it. */
const CAUSES = ['cause', 'context', 'originalError'] as const
/** Deeper than any client nests; a bound against hostile chains. */
const MAX_DEPTH = 5

type Shape = Record<string, unknown>

/**
 * Reads an answer from what a mutation function threw: a fetch `Response`, the errors of axios, ky and
 * ofetch, a plain `{ status, headers, data }`, or an error with one of these as its `cause`.
 *
 * A `Response` is read through a clone, so that whoever catches it can read it too; where its body was
 * read before, there is none. An attempt whose signal is aborted ends the reading as well.
 *
 * @returns never rejects
 */
export async function readAnswer(thrown: unknown): Promise<Answer> {
  const { reason, retryable } = classifyFailure(thrown)
  const nothing: Answer = { header: () => '', reason, isWorthRetrying: retryable }
  try {
    const found = findAnswer(thrown, MAX_DEPTH)
    if (!found) return nothing
    const { status, holder, error } = found
    const { headers } = holder
    const waitMs = readServerWait(headers)
    const type = readHeader(headers, 'content-type')
    const body = !type || /\bjson\b/i.test(type) ? await readBody(holder, error) : undefined
    return {
      status,
      header: name => readHeader(headers, name),
      reason: `http-${status}`,
      isWorthRetrying: retryable,
      ...(body !== undefined && { body }),
      ...(waitMs !== undefined && { waitMs }),
    }
  } catch {
    return nothing
  }
}

function findAnswer(
  thrown: unknown,
  depth: number,
): { status: number; holder: Shape; error: Shape } | undefined {
  if (depth === 0 || Object(thrown) !== thrown) return undefined
  const error = thrown as Shape
  for (const holder of [error.response, error] as (Shape | undefined)[]) {
    const status = Number(holder?.status ?? holder?.statusCode)
    if (holder && Number.isInteger(status) && status >= 100 && status <= 599) {
      return { status, holder, error }
    }
  }
  for (const name of CAUSES) {
    const found = findAnswer(error[name], depth - 1)
    if (found) return found
  }
  return undefined
}

/** The body as it was parsed by the client, or else of the response itself; none where it cannot be read. */
async function readBody(holder: Shape, error: Shape): Promise<unknown> {
  try {
    const { clone, bodyUsed } = holder as unknown as Response
    const isResponse = typeof clone === 'function'
    const parsed = holder.data ?? error.data ?? (isResponse ? undefined : holder.body)
    if (parsed !== undefined && typeof parsed !== 'string') return parsed
    const text = isResponse && !bodyUsed ? await clone.call(holder).text() : parsed
    return JSON.parse(text as string)
  } catch {
    return undefined
  }
}
