import {
  type BackoffOptions,
  checkOptions,
  createRetryPolicy,
  decide,
  type Failure,
  type Random,
} from '@query-retry/core'
import type { AnyQuery } from './operation.ts'
import type { QueryOption } from './query-option.ts'
import { reportThrown } from './report-thrown.ts'
import { isTerminal, lastFailure } from './terminal-error.ts'

/** How the polling of a failing query slows. */
export interface RetryAwareIntervalOptions extends Pick<BackoffOptions, 'factor' | 'random'> {
  /**
   * No interval is longer, in milliseconds, unless the server asks for it. From `ms`, where nothing is left to
   * draw from, to 2^31 - 1. Default five minutes, or twice `ms` where that is longer.
   */
  capMs?: number
}

/** What is remembered of a query from one failed fetch to the next. */
interface Trouble {
  dataUpdatedAt: number
  errorUpdateCount: number
  errorUpdatedAt: number
  /** The `errorUpdateCount` that the query had when it was last well. */
  errorsBefore: number
  failure: Failure | undefined
  /** What `random` gave. */
  draw: number
}

const LONGEST_TIMER_MS = 2 ** 31 - 1
const FIVE_MINUTES_MS = 300_000

/**
 * By query and not by interval: an interval may be built anew at each render, and all observers of a query that
 * have the same one poll together, as one.
 */
const troubles = new WeakMap<AnyQuery, Trouble>()

/**
 * Polls a healthy query every `ms`, a failing one ever more slowly, and one with a terminal error not at all:
 * for TanStack's `refetchInterval`.
 *
 * - After the n-th fetch in a row that ended in error, retries included, the interval is drawn from the upper half
 *   of the window `ms * factor ** n`, at most `capMs`. A failing query never polls faster than a healthy one.
 * - Where the server asked for a wait (`Retry-After`) the interval is never shorter, whatever `capMs` is: jitter
 *   goes on top, as after any failed attempt.
 * - Terminal is a definite refusal: 404, 401 and any other 4xx that the query's own policy (`classify`,
 *   `meta.retry`) would not retry, or a server that says no. Polling starts again once a fetch succeeds:
 *   `refetch()`, "try now". A 500, and what ended for want of retries, time or budget, goes on, slowed, with
 *   cached data or without.
 * - The draw is made once per failed fetch. TanStack asks at each render, and starts its timer again whenever
 *   the answer is another one: with a draw each time, a page that renders often never polls.
 *
 * TanStack counts the interval from the end of a fetch, since each update of the query starts its timer again, and
 * one that ends during a fetch or its retries joins them: nothing is sent twice.
 *
 * @param ms - from 1 to 2^31 - 1
 * @returns the option: gives milliseconds from `ms` to 2^31 - 1, or false (also where the server asked for longer
 *   than a timer waits). Never throws.
 * @throws {RetryOptionError} naming the option, its value and the accepted range
 * @example
 * const refetchInterval = retryAwareInterval(5_000, { random: () => 0.5 })
 * const queryClient = new QueryClient({ defaultOptions: { queries: { refetchInterval } } })
 * const query = queryClient.getQueryCache().build(queryClient, { queryKey: ['stock'] })
 * const fail = (status: number, errorUpdateCount: number) =>
 *   query.setState({ status: 'error', error: Object.assign(new Error(), { status }), errorUpdateCount })
 * refetchInterval(query) // => 5000
 * fail(503, 1)
 * refetchInterval(query) // => 7500
 * fail(503, 2)
 * refetchInterval(query) // => 15000
 * fail(404, 3)
 * refetchInterval(query) // => false
 */
export function retryAwareInterval(
  ms: number,
  options: RetryAwareIntervalOptions = {},
): QueryOption<number | false> {
  // Not given is no number either.
  checkOptions({ ms: ms ?? null }, { ms: [1, LONGEST_TIMER_MS] })
  const {
    capMs = Math.min(Math.max(FIVE_MINUTES_MS, 2 * ms), LONGEST_TIMER_MS),
    factor,
    random,
  } = options
  // One more poll is one more retry, of which there is no end and for which nobody is waiting.
  const policy = createRetryPolicy({
    baseMs: ms,
    floorMs: ms,
    capMs,
    factor,
    random,
    jitter: 'equal',
    maxRetries: Infinity,
    deadlineMs: Infinity,
    maxServerWaitMs: Infinity,
  }).options

  return query => {
    const trouble = troubleOf(query as AnyQuery, policy.random)
    if (!trouble) return ms
    const { draw, errorsBefore, errorUpdateCount, failure } = trouble
    if (failure && isTerminal(failure)) return false
    const decision = decide(
      { ...policy, random: () => draw, classify: () => asRetryable(failure) },
      { error: undefined, retryIndex: errorUpdateCount - errorsBefore },
    )
    // False where the server asked for more than a timer can wait.
    return decision.retry && decision.delayMs
  }
}

/** Undefined where nothing went wrong. */
function troubleOf(query: AnyQuery, random: Random): Trouble | undefined {
  const { data, dataUpdatedAt, errorUpdateCount, errorUpdatedAt, status } = query.state
  if (status === 'success') {
    troubles.delete(query)
    return undefined
  }
  const last = troubles.get(query)
  if (last?.errorUpdateCount === errorUpdateCount && last.errorUpdatedAt === errorUpdatedAt) {
    return last
  }
  // Its first load, after a reset, or with an observer that came during the fetch: its end will tell.
  if (status !== 'error') return undefined
  // Where it was well since it was last looked at, nobody knows how often it has failed after that: once, at least.
  const errorsAtLeastBefore = data === undefined ? 0 : errorUpdateCount - 1
  const trouble: Trouble = {
    dataUpdatedAt,
    errorUpdateCount,
    errorUpdatedAt,
    errorsBefore: last?.dataUpdatedAt === dataUpdatedAt ? last.errorsBefore : errorsAtLeastBefore,
    failure: lastFailure(query),
    draw: drawFrom(random),
  }
  troubles.set(query, trouble)
  return trouble
}

/** How `decide` has to see the failure to go on. */
function asRetryable(failure: Failure | undefined): Failure {
  return { effect: 'unknown', ...failure, kind: 'unknown', reason: 'poll', retryable: true }
}

function drawFrom(random: Random): number {
  try {
    return random()
  } catch (error) {
    reportThrown(error)
    return 0.5
  }
}
