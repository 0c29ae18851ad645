import { type AnyQuery, announceOperation, operationOf } from './operation.ts'

/** The fetches that "try now" started, and the error that each of them followed. */
const restarts = new WeakMap<object, unknown>()

/** Whether the person asked for the running fetch: it is worth a word before its first failure. */
export function isRestarted({ promise }: AnyQuery): boolean {
  return !!promise && restarts.has(promise)
}

/** What went wrong last: in the running fetch, in the one that the person restarted, or in the one that ended. */
export function latestError({ promise, state }: AnyQuery): unknown {
  if (state.fetchStatus === 'idle') return state.error
  return state.fetchFailureReason ?? (promise && restarts.get(promise))
}

/** A silent cancel and a new fetch: a plain cancel would flash an error, and `refetch` does nothing during a first load's wait. */
export function restart(query: AnyQuery): void {
  const error = latestError(query)
  // The direction of an infinite query's next or previous page. A copy, since TanStack resets the
  // failure count only where this object is another one.
  const { fetchMeta } = query.state
  query.cancel({ silent: true })
  query.fetch(undefined, { meta: fetchMeta ? { ...fetchMeta } : undefined }).catch(() => {})
  if (query.promise) restarts.set(query.promise, error)
  announceOperation({ query })
}

/** TanStack's own cancel would put a `CancelledError` in the place of what went wrong, or take it back and load for ever. */
export function endWithLatestError(query: AnyQuery): void {
  const error = latestError(query)
  const latest = operationOf(query)
  // The one before, where the person had asked for another fetch that has not failed yet.
  if (latest) latest.stopReason = 'cancelled'
  query.cancel({ silent: true })
  query.setState({
    status: 'error',
    fetchStatus: 'idle',
    error,
    errorUpdateCount: query.state.errorUpdateCount + 1,
    errorUpdatedAt: Date.now(),
    isInvalidated: true,
  })
}
