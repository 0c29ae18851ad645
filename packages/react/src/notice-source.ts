import {
  matchQuery,
  notifyManager,
  onlineManager,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query'
import { endWithLatestError, restart } from './notice-actions.ts'
import { IDLE, type RetryNoticeState, readNotice } from './notice-state.ts'
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
  /**
   * Sends the next attempt at once: one call for each query that waits or, where the notice says
   * that attempts have ended, for each of those. Nothing in other phases.
   */
  tryNow(): void
  /**
   * Ends the retries: the query fails with the error it already has, and nothing more is sent. Who waits
   * for the fetch itself (`fetchQuery`, a loader) gets TanStack's `CancelledError`, since nothing public
   * lets a running fetch reject with another, and `QueryCache`'s `onError` is not called.
   */
  cancel(): void
}

/** Of several queries the notice shows the first of these phases, and of several waits the shortest. */
const PHASES = ['paused', 'waiting', 'attempting', 'stopped', 'idle']

/** @param target - left out: everything the client waits for */
export function createNoticeSource(client: QueryClient, target?: RetryNoticeTarget): NoticeSource {
  const cache = client.getQueryCache()
  const notices = new Map<AnyQuery, Exclude<RetryNoticeState, { phase: 'idle' }>>()
  /** Fetches whose last observer has left: TanStack sends no further attempt for them. */
  const abandoned = new WeakSet<object>()
  const listeners = new Set<() => void>()
  let snapshot = IDLE
  let ticker = new AbortController()
  let isScheduled = false

  function isTarget(query: AnyQuery): boolean {
    if (!target) return true
    return 'queryKey' in target
      ? matchQuery({ queryKey: target.queryKey, exact: target.exact }, query)
      : query.observers.some(observer => observer.refetch === target.refetch)
  }

  /** @returns whether the query is or was among those that the notice stands for */
  function read(query: AnyQuery): boolean {
    const wasShown = notices.delete(query)
    if (!isTarget(query) || cache.get(query.queryHash) !== query) return wasShown
    const notice = readNotice(query)
    // Nobody waits for what failed earlier and is on no page, or has left the page.
    const isForgotten =
      notice.phase === 'stopped' ? !target && !query.isActive() : isAbandoned(query)
    if (notice.phase === 'idle' || isForgotten) return wasShown
    notices.set(query, notice)
    return true
  }

  function isAbandoned({ promise, observers }: AnyQuery): boolean {
    return !!promise && !observers.length && abandoned.has(promise)
  }

  /** However many queries change in one turn, what is shown is worked out once. */
  function refresh(query: AnyQuery): void {
    if (!read(query) || isScheduled) return
    isScheduled = true
    notifyManager.schedule(() => {
      isScheduled = false
      if (show()) for (const listener of listeners) listener()
    })
  }

  /** @returns whether what is shown has changed */
  function show(): boolean {
    let shown: AnyQuery | undefined
    let notice: RetryNoticeState = IDLE
    let endedCount = 0
    for (const [query, candidate] of notices) {
      if (candidate.phase === 'stopped') endedCount++
      const order = PHASES.indexOf(candidate.phase) - PHASES.indexOf(notice.phase)
      if ((order || waitLeftMs(query) - waitLeftMs(shown)) < 0) {
        shown = query
        notice = candidate
      }
    }
    // The time left was another one when the candidate was read.
    if (shown && notice.phase === 'waiting') notice = readNotice(shown)
    tick(notice.phase === 'waiting' ? shown : undefined)
    const queryCount = notice.phase === 'stopped' ? endedCount : notices.size - endedCount
    const next = notice.phase === 'idle' ? IDLE : { ...notice, queryCount }
    if (signatureOf(next) === signatureOf(snapshot)) return false
    snapshot = next
    return true
  }

  /** Wakes when the number of seconds changes. */
  function tick(query?: AnyQuery): void {
    ticker.abort()
    const leftMs = waitLeftMs(query)
    if (!query || !listeners.size || leftMs <= 0) return
    ticker = new AbortController()
    const woken = operationOf(query)?.clock.sleep(leftMs % 1_000 || 1_000, ticker.signal)
    woken?.then(
      () => refresh(query),
      () => {},
    )
  }

  let stop = () => {}
  function start(): void {
    // A pause that began in a hidden page may be due to the network by the time somebody looks.
    const refreshAll = () => [...notices.keys()].forEach(refresh)
    const stops = [
      cache.subscribe(({ type, query }) => {
        if (type === 'observerRemoved' && query.promise) abandoned.add(query.promise)
        refresh(query)
      }),
      watchOperations(refresh),
      onlineManager.subscribe(refreshAll),
    ]
    readAll()
    stop = () => {
      for (const each of stops) each()
      ticker.abort()
      notices.clear()
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
        if (phase === snapshot.phase && (phase === 'waiting' || phase === 'stopped')) restart(query)
      }
    },
    cancel() {
      for (const [query, notice] of [...notices]) {
        // A cold offline start has no error to end with.
        if (notice.phase !== 'stopped' && notice.failure) endWithLatestError(query)
      }
    },
  }
}

/** Milliseconds to the next attempt, by the monotonic clock. */
function waitLeftMs(query?: AnyQuery): number {
  const { clock, retryAtMs } = (query && operationOf(query)) ?? {}
  return clock && retryAtMs !== undefined ? retryAtMs - clock.nowMs() : 0
}

/**
 * What makes two notices the same. A failure that was read anew is another object, and the wall clock
 * wavers by a millisecond: with either, every render that changes a query's options would cause the next.
 */
function signatureOf(notice: RetryNoticeState): string {
  const { failure, retryAtEpochMs, ...rest } = notice as Partial<
    Extract<RetryNoticeState, { phase: 'waiting' }>
  >
  return [failure?.reason, ...Object.values(rest)].join()
}
