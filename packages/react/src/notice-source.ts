import { matchQuery, notifyManager, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { type RetryNoticeState, readNotice } from './notice-state.ts'
import { type AnyQuery, operationOf, watchOperations } from './operation.ts'

/**
 * What a notice is about: what `useQuery` or `useInfiniteQuery` returned; the queries under a key, for a
 * Suspense fallback, which has no result; or, left out, everything the client waits for.
 */
export type RetryNoticeTarget = { refetch: unknown } | { queryKey: QueryKey; exact?: boolean }

/** A notice to subscribe to, without React. */
export interface NoticeSource {
  subscribe(listener: () => void): () => void
  /** The same object until something changes. */
  getSnapshot(): RetryNoticeState
  /** Sends the next attempt at once: one call for each query that waits or has stopped. */
  tryNow(): void
  /** Ends the retries: the query fails with the error it already has, and nothing more is sent. */
  cancel(): void
}

/** Of several queries the notice shows the first of these phases, and of several waits the shortest. */
const PHASES = ['paused', 'waiting', 'attempting', 'stopped']
const IDLE: RetryNoticeState = { phase: 'idle' }

/** @param target - left out: everything the client waits for */
export function createNoticeSource(client: QueryClient, target?: RetryNoticeTarget): NoticeSource {
  const cache = client.getQueryCache()
  const notices = new Map<AnyQuery, RetryNoticeState>()
  const listeners = new Set<() => void>()
  let shown: AnyQuery | undefined
  let snapshot = IDLE
  let ticker = new AbortController()
  let isScheduled = false

  function isTarget(query: AnyQuery): boolean {
    if (!target) return true
    return 'queryKey' in target
      ? matchQuery({ queryKey: target.queryKey, exact: target.exact }, query)
      : query.observers.some(observer => observer.refetch === target.refetch)
  }

  function read(query: AnyQuery): void {
    notices.delete(query)
    if (!isTarget(query) || cache.get(query.queryHash) !== query) return
    const notice = readNotice(query)
    // Nobody waits for what failed earlier and is on no page.
    const isForgotten = notice.phase === 'stopped' && !target && !query.isActive()
    if (notice.phase !== 'idle' && !isForgotten) notices.set(query, notice)
  }

  /** However many queries change in one turn, what is shown is worked out once. */
  function refresh(query: AnyQuery): void {
    read(query)
    if (isScheduled) return
    isScheduled = true
    notifyManager.schedule(() => {
      isScheduled = false
      if (show()) for (const listener of listeners) listener()
    })
  }

  /** @returns whether what is shown has changed */
  function show(): boolean {
    const ranked = [...notices].sort(([, a], [, b]) => rank(a) - rank(b) || dueAt(a) - dueAt(b))
    const [first, notice] = ranked[0] ?? [undefined, IDLE]
    shown = first
    keepTicking()
    const isStopped = notice.phase === 'stopped'
    const queryCount = ranked.filter(([, { phase }]) => (phase === 'stopped') === isStopped).length
    const next = notice.phase === 'idle' ? IDLE : { ...notice, queryCount }
    if (isSame(next, snapshot)) return false
    snapshot = next
    return true
  }

  /** Wakes when the number of seconds changes. */
  function keepTicking(): void {
    ticker.abort()
    const { clock, retryAtMs } = (shown && operationOf(shown)) ?? {}
    if (!clock || retryAtMs === undefined || listeners.size === 0) return
    const leftMs = retryAtMs - clock.nowMs()
    if (leftMs <= 0) return
    ticker = new AbortController()
    const partOfSecondMs = leftMs % 1_000 || 1_000
    clock.sleep(partOfSecondMs, ticker.signal).then(
      () => shown && refresh(shown),
      () => {},
    )
  }

  let stop = () => {}
  function start(): void {
    const stopCache = cache.subscribe(({ query }) => refresh(query))
    const stopOperations = watchOperations(refresh)
    readAll()
    stop = () => {
      stopCache()
      stopOperations()
      ticker.abort()
    }
  }

  function readAll(): void {
    cache.getAll().forEach(read)
    show()
  }

  readAll()
  return {
    subscribe(listener) {
      listeners.add(listener)
      if (listeners.size === 1) start()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
    getSnapshot: () => snapshot,
    tryNow() {
      for (const [query, { phase }] of [...notices]) {
        if (phase === 'waiting' || phase === 'stopped') restart(query)
      }
    },
    cancel() {
      for (const [query, notice] of [...notices]) {
        if (notice.phase !== 'stopped' && notice.phase !== 'idle' && notice.failureCount > 0)
          fail(query)
      }
    },
  }
}

/** A silent cancel and a new fetch: a plain cancel would flash an error, and `refetch` does nothing during a first load's wait. */
function restart(query: AnyQuery): void {
  // The direction of an infinite query's next or previous page.
  const { fetchMeta } = query.state
  query.cancel({ silent: true })
  query.fetch(undefined, fetchMeta ? { meta: fetchMeta } : undefined).catch(() => {})
}

/** TanStack's own cancel would put a `CancelledError` in the place of what went wrong, or take it back and load for ever. */
function fail(query: AnyQuery): void {
  const { state } = query
  query.cancel({ silent: true })
  query.setState({
    ...state,
    status: 'error',
    fetchStatus: 'idle',
    error: operationOf(query)?.lastError ?? state.fetchFailureReason,
    errorUpdateCount: state.errorUpdateCount + 1,
    errorUpdatedAt: Date.now(),
  })
}

function rank({ phase }: RetryNoticeState): number {
  return PHASES.indexOf(phase)
}

function dueAt(notice: RetryNoticeState): number {
  return notice.phase === 'waiting' ? notice.retryAtEpochMs : 0
}

function isSame(a: RetryNoticeState, b: RetryNoticeState): boolean {
  const keys = Object.keys(a) as (keyof RetryNoticeState)[]
  return keys.length === Object.keys(b).length && keys.every(key => Object.is(a[key], b[key]))
}
