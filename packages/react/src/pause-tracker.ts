import type { QueryCache } from '@tanstack/react-query'
import { type AnyQuery, operationOf } from './operation.ts'

const tracked = new WeakSet<QueryCache>()
/** Queries that were paused, from the moment they go on to their next attempt. */
const resumed = new WeakSet<AnyQuery>()

/**
 * Keeps the time that a query spends paused (hidden tab, offline) out of its deadline, since nobody was
 * waiting, and remembers which have just gone on.
 *
 * A cache is listened to from the first attempt in it on, for as long as it lives. What it paused before
 * (a page that starts offline) is not seen.
 */
export function trackPauses(cache: QueryCache): void {
  if (tracked.has(cache)) return
  tracked.add(cache)
  cache.subscribe(event => {
    if (event.type !== 'updated') return
    const { action, query } = event
    const { type } = action
    // A fetch that was left while it was paused has never gone on.
    if (type === 'fetch') resumed.delete(query)
    if (type !== 'pause' && type !== 'continue') return
    const isPause = type === 'pause'
    if (!isPause) resumed.add(query)
    const operation = operationOf(query)
    if (!operation) return
    const nowMs = operation.clock.nowMs()
    if (!isPause) operation.uncountedMs += nowMs - (operation.pausedAtMs ?? nowMs)
    operation.pausedAtMs = isPause ? nowMs : undefined
  })
}

/** Whether the query's attempt that starts now comes after a pause. */
export function takeResumed(query: AnyQuery): boolean {
  return resumed.delete(query)
}
