import type { AnyQuery } from './operation.ts'
import type { QueryOption } from './query-option.ts'
import { isTerminal, lastFailure } from './terminal-error.ts'

/**
 * Keeps a query whose last fetch ended with a terminal error (404, 401, a server that says no) from being asked
 * again each time somebody comes back: for `refetchOnWindowFocus` and `refetchOnReconnect`, and for
 * `refetchOnMount`, which TanStack asks about a query with data. `retryOnMount` is the same for one without, and
 * takes a function in newer versions of TanStack only (5.108 does, 5.90 fetches as if there were none).
 *
 * Terminal is a 4xx that the query's own policy (`classify`, `meta.retry`) would not retry. What ended for want of
 * retries, time or budget is asked again. So is anything where a person asks: `refetch()`, "try now".
 *
 * @returns false after a terminal error, else true, with which TanStack refetches what is stale. Never throws.
 * @example
 * const queryClient = new QueryClient({
 *   defaultOptions: {
 *     queries: { refetchOnWindowFocus: refetchUnlessTerminal, refetchOnReconnect: refetchUnlessTerminal },
 *   },
 * })
 * const query = queryClient.getQueryCache().build(queryClient, { queryKey: ['report'] })
 * refetchUnlessTerminal(query) // => true
 * query.setState({ status: 'error', error: Object.assign(new Error('Not found'), { status: 404 }) })
 * refetchUnlessTerminal(query) // => false
 */
export const refetchUnlessTerminal: QueryOption<boolean> = query => {
  const failure = lastFailure(query as AnyQuery)
  return !failure || !isTerminal(failure)
}
