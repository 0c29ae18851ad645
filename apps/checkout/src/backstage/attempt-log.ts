import type { RetryPreset } from '@query-retry/react'
import { hashKey, onlineManager, type QueryCache, type QueryKey } from '@tanstack/react-query'
import { isOfCrowd } from './scopes.ts'

/** One thing that happened to a query, at a wall-clock instant of this browser. */
export type Mark = { atEpochMs: number } & (
  | { kind: 'sent' }
  | { kind: 'failed'; reason: string }
  | { kind: 'waiting'; untilEpochMs: number }
  | { kind: 'paused'; cause: 'offline' | 'hidden' }
  | { kind: 'continued' | 'answered' | 'recovered' | 'gave-up' | 'cancelled' }
)

/** One fetch of one query, or several where each took the one before back ("try now"). */
export interface Track {
  queryHash: string
  queryKey: QueryKey
  startedAtEpochMs: number
  marks: readonly Mark[]
}

const ENDS: readonly Mark['kind'][] = ['answered', 'recovered', 'gave-up', 'cancelled']

export function isRunning({ marks }: Track): boolean {
  const last = marks.at(-1)
  return last !== undefined && !ENDS.includes(last.kind)
}

export function countSent({ marks }: Track): number {
  return marks.filter(mark => mark.kind === 'sent').length
}

/** "Try now" cancels and asks anew in one go: the story goes on, it does not begin again. */
function wasJustTakenBack({ marks }: Track, nowEpochMs: number): boolean {
  const last = marks.at(-1)
  return last?.kind === 'cancelled' && nowEpochMs - last.atEpochMs < 1_000
}

/**
 * Writes down what happens to the queries of the page: the preset's events say why and until when,
 * the cache's events when a fetch begins, pauses and ends, and the API client when a request leaves.
 */
export function createAttemptLog(cache: QueryCache, preset: Pick<RetryPreset, 'subscribe'>) {
  const tracks = new Map<string, Track>()
  /** A query that failed for good has no observer any more where a boundary shows the error. */
  const seenOnThisPage = new Set<string>()
  const listeners = new Set<() => void>()
  let snapshot: readonly Track[] = []
  let isNotifying = false

  function notify() {
    if (isNotifying) return
    isNotifying = true
    // Later, not now: a suspending component starts its fetch while React renders.
    queueMicrotask(() => {
      isNotifying = false
      snapshot = [...tracks.values()].filter(track => isVisible(track.queryHash))
      for (const listener of listeners) listener()
    })
  }

  function isVisible(queryHash: string): boolean {
    return seenOnThisPage.has(queryHash) || isInUse(queryHash)
  }

  function isInUse(queryHash: string): boolean {
    const query = cache.get(queryHash)
    return query !== undefined && (query.isActive() || query.state.fetchStatus !== 'idle')
  }

  function add(queryHash: string, ...marks: Mark[]) {
    const track = tracks.get(queryHash)
    if (!track) return
    tracks.set(queryHash, { ...track, marks: [...track.marks, ...marks] })
    notify()
  }

  function begin(queryHash: string, queryKey: QueryKey) {
    const atEpochMs = Date.now()
    const before = tracks.get(queryHash)
    seenOnThisPage.add(queryHash)
    if (before && isRunning(before)) return add(queryHash, { kind: 'cancelled', atEpochMs })
    if (before && wasJustTakenBack(before, atEpochMs)) return notify()
    tracks.set(queryHash, { queryHash, queryKey, startedAtEpochMs: atEpochMs, marks: [] })
    notify()
  }

  /** An end that the preset's own event has not told already. */
  function end(queryHash: string, kind: 'answered' | 'gave-up' | 'cancelled') {
    const track = tracks.get(queryHash)
    if (track && isRunning(track)) add(queryHash, { kind, atEpochMs: Date.now() })
  }

  cache.subscribe(event => {
    const { queryHash, queryKey } = event.query
    if (isOfCrowd(queryKey)) return
    if (event.type === 'observerAdded' || event.type === 'observerRemoved') notify()
    if (event.type !== 'updated') return
    const atEpochMs = Date.now()
    switch (event.action.type) {
      case 'fetch':
        return begin(queryHash, queryKey)
      case 'pause':
        return add(queryHash, {
          kind: 'paused',
          cause: onlineManager.isOnline() ? 'hidden' : 'offline',
          atEpochMs,
        })
      case 'continue':
        return add(queryHash, { kind: 'continued', atEpochMs })
      case 'success':
        // A value that was set by hand is no answer.
        return event.action.manual ? undefined : end(queryHash, 'answered')
      case 'error':
        return end(queryHash, 'gave-up')
      case 'setState':
        return event.query.state.fetchStatus === 'idle' ? end(queryHash, 'cancelled') : undefined
    }
  })

  preset.subscribe(event => {
    const { queryHash } = event
    // Only queries have tracks.
    if (queryHash === undefined) return
    const atEpochMs = Date.now()
    switch (event.type) {
      case 'attempt-failed':
        return add(queryHash, { kind: 'failed', reason: event.reason, atEpochMs })
      case 'retry-scheduled':
        return add(queryHash, {
          kind: 'waiting',
          untilEpochMs: atEpochMs + event.delayMs,
          atEpochMs,
        })
      case 'recovered':
        return add(queryHash, { kind: 'recovered', atEpochMs })
      case 'gave-up':
        // A fetch that was taken back has been told by the cache, and the next may be under way already.
        if (event.stopReason === 'cancelled') return
        return add(queryHash, { kind: 'gave-up', atEpochMs })
    }
  })

  return {
    /** The tracks of what is on the page. */
    getSnapshot: () => snapshot,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    recordSend(queryKey: QueryKey): void {
      add(hashKey(queryKey), { kind: 'sent', atEpochMs: Date.now() })
    },
    /** Another page: what was only on the one before goes out of sight. */
    turnPage(): void {
      for (const queryHash of seenOnThisPage) {
        if (!isInUse(queryHash)) seenOnThisPage.delete(queryHash)
      }
      notify()
    },
  }
}
