import {
  type MutationCacheNotifyEvent,
  matchQuery,
  notifyManager,
  onlineManager,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query'
import type { AnyMutation } from './mutations/idempotent-mutation-options.ts'
import { endWithLatestError, restart } from './notice-actions.ts'
import {
  cancelRetry,
  readMutationNotice,
  scheduleOfMutation,
  senderOf,
} from './notice-mutations.ts'
import { findMutation, type MutationTarget, mutationBy, noteObserver } from './notice-observers.ts'
import {
  IDLE,
  type RetryNoticeState,
  readQueryNotice,
  type Schedule,
  type SubjectNotice,
} from './notice-state.ts'
import { type AnyQuery, operationOf, watchOperations } from './operation.ts'

/**
 * What a notice is about: what `useQuery`, `useInfiniteQuery`, `useMutation` or `useIdempotentMutation`
 * returned; the queries under a key, for a Suspense fallback, which has no result; or, left out,
 * everything the client waits for.
 */
export type RetryNoticeTarget =
  | { refetch: unknown }
  | { queryKey: QueryKey; exact?: boolean }
  | MutationTarget

/** A notice to subscribe to, without React. */
export interface NoticeSource {
  subscribe(listener: () => void): () => void
  /** The same object until something changes. */
  getSnapshot(): RetryNoticeState
  /** For a mutation: the latest result of the same hook, which may be about another mutation by now. */
  follow(target: RetryNoticeTarget | undefined): void
  /**
   * Sends the next attempt at once: one call for each query that waits or, where the notice says
   * that attempts have ended, for each of those. Nothing in other phases, and nothing for mutations.
   */
  tryNow(): void
  /**
   * Ends the retries: the query fails with the error it already has, and nothing more is sent. Who waits
   * for the fetch itself (`fetchQuery`, a loader) gets TanStack's `CancelledError`, since nothing public
   * lets a running fetch reject with another, and `QueryCache`'s `onError` is not called.
   *
   * A mutation under a key that waits fails with the error it already has when its wait is over, and
   * nothing is sent then. One whose attempt is under way, or that is paused, is left alone. A page that is
   * reloaded before the wait is over, with a persisted cache, does not know of it.
   */
  cancel(): void
}

type Subject = AnyQuery | AnyMutation

/** Of several subjects the notice shows the first of these phases, and of several waits the shortest. */
const PHASES = ['paused', 'waiting', 'attempting', 'stopped', 'idle']

/** @param target - left out: everything the client waits for */
export function createNoticeSource(client: QueryClient, target?: RetryNoticeTarget): NoticeSource {
  const cache = client.getQueryCache()
  const mutations = client.getMutationCache()
  const notices = new Map<Subject, Exclude<SubjectNotice, { phase: 'idle' }>>()
  /** Fetches whose last observer has left: TanStack sends no further attempt for them. */
  const abandoned = new WeakSet<object>()
  /** Mutations that failed while somebody listened here, until whoever showed them has moved on. */
  const failed = new WeakSet<AnyMutation>()
  const listeners = new Set<() => void>()
  const reset = target && 'reset' in target && target.reset
  let snapshot: RetryNoticeState = IDLE
  let ticker = new AbortController()
  let isScheduled = false

  function isTarget(subject: Subject): boolean {
    if (!target || isMutation(subject)) return true
    return 'queryKey' in target
      ? matchQuery({ queryKey: target.queryKey, exact: target.exact }, subject)
      : 'refetch' in target && subject.observers.some(({ refetch }) => refetch === target.refetch)
  }

  /** @returns whether the subject is or was among those that the notice stands for */
  function read(subject: Subject): boolean {
    const wasShown = notices.delete(subject)
    const notice = isTarget(subject) ? noticeOf(subject) : IDLE
    if (notice.phase === 'idle' || isForgotten(subject, notice.phase === 'stopped')) return wasShown
    notices.set(subject, notice)
    return true
  }

  function isForgotten(subject: Subject, isOver: boolean): boolean {
    if (isMutation(subject)) {
      // It goes on when its page is left, and whoever asked for it still wants to know.
      const isGone = !mutations.getAll().includes(subject)
      return !target && (isGone || (isOver && !failed.has(subject)))
    }
    if (cache.get(subject.queryHash) !== subject) return true
    // Nobody waits for what failed earlier and is on no page, or has left the page.
    return isOver ? !target && !subject.isActive() : isAbandoned(subject)
  }

  function isAbandoned({ promise, observers }: AnyQuery): boolean {
    return !!promise && !observers.length && abandoned.has(promise)
  }

  function refresh(subject: Subject): void {
    if (read(subject)) schedule()
  }

  /** However many subjects change in one turn, what is shown is worked out once. */
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    notifyManager.schedule(() => {
      isScheduled = false
      if (reset) readFollowed()
      if (show()) for (const listener of listeners) listener()
    })
  }

  /** A turn after the event: by then a mutation that joins another one has done so. */
  function readFollowed(): void {
    const mutation = mutationBy(mutations, reset)
    notices.clear()
    if (mutation) read(senderOf(mutation, mutations))
  }

  /** @returns whether what is shown has changed */
  function show(): boolean {
    let shown: Subject | undefined
    let notice: SubjectNotice = IDLE
    const going = { queryCount: 0, mutationCount: 0 }
    const ended = { ...going }
    const countsFor = ({ phase }: SubjectNotice) => (phase === 'stopped' ? ended : going)
    for (const [subject, candidate] of notices) {
      countsFor(candidate)[candidate.isMutation ? 'mutationCount' : 'queryCount']++
      const order =
        PHASES.indexOf(candidate.phase) - PHASES.indexOf(notice.phase) ||
        waitLeftMs(subject) - waitLeftMs(shown) ||
        // A payment in doubt comes before a list that could not be loaded.
        Number(isMutation(shown)) - Number(candidate.isMutation)
      if (order < 0) {
        shown = subject
        notice = candidate
      }
    }
    // The time left was another one when the candidate was read.
    if (shown && notice.phase === 'waiting') notice = noticeOf(shown)
    tick(notice.phase === 'waiting' ? shown : undefined)
    const next = notice.phase === 'idle' ? IDLE : { ...notice, ...countsFor(notice) }
    if (signatureOf(next) === signatureOf(snapshot)) return false
    snapshot = next
    return true
  }

  /** Wakes when the number of seconds changes. */
  function tick(subject?: Subject): void {
    ticker.abort()
    const leftMs = waitLeftMs(subject)
    if (!subject || !listeners.size || leftMs <= 0) return
    ticker = new AbortController()
    const woken = scheduleOf(subject)?.clock?.sleep(leftMs % 1_000 || 1_000, ticker.signal)
    woken?.then(
      () => refresh(subject),
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
      mutations.subscribe(hear),
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

  function hear(event: MutationCacheNotifyEvent): void {
    noteObserver(event)
    const { mutation, type } = event
    if (reset) schedule()
    if (target || !mutation) return
    const sender = senderOf(mutation, mutations)
    if (type === 'updated' && event.action.type === 'error') failed.add(sender)
    // Seen and left, or done again.
    if (type === 'observerRemoved' && mutation.state.status === 'error') failed.delete(sender)
    refresh(sender)
  }

  function readAll(): void {
    if (reset) readFollowed()
    else cache.getAll().forEach(read)
    if (!target) mutations.getAll().forEach(read)
    show()
  }

  /** @returns whether the target shows another mutation than was known */
  const follow = (result: RetryNoticeTarget | undefined) =>
    !!result && 'reset' in result && findMutation(mutations, result)
  follow(target)
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
    follow(result) {
      if (follow(result)) schedule()
    },
    tryNow() {
      for (const [query, { phase }] of [...notices]) {
        if (isMutation(query) || phase !== snapshot.phase) continue
        if (phase === 'waiting' || phase === 'stopped') restart(query)
      }
    },
    cancel() {
      for (const [subject, notice] of [...notices]) {
        if (!isMutation(subject)) {
          // A cold offline start has no error to end with.
          if (notice.phase !== 'stopped' && notice.failure) endWithLatestError(subject)
        } else if (noticeOf(subject).phase === 'waiting') {
          cancelRetry(subject)
          failed.add(subject)
          refresh(subject)
        }
      }
    },
  }
}

function isMutation(subject: Subject | undefined): subject is AnyMutation {
  return !!subject && 'mutationId' in subject
}

function noticeOf(subject: Subject): SubjectNotice {
  return isMutation(subject) ? readMutationNotice(subject) : readQueryNotice(subject)
}

function scheduleOf(subject: Subject): Partial<Schedule> | undefined {
  return isMutation(subject) ? scheduleOfMutation(subject) : operationOf(subject)
}

/** Milliseconds to the next attempt, by the monotonic clock. */
function waitLeftMs(subject?: Subject): number {
  const { clock, retryAtMs = 0 } = (subject && scheduleOf(subject)) ?? {}
  return clock && retryAtMs ? retryAtMs - clock.nowMs() : 0
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
