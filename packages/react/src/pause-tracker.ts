import type { QueryCache } from '@tanstack/react-query'
import { operationOf } from './operation.ts'

const tracked = new WeakSet<QueryCache>()

/**
 * Keeps the time that a query spends paused (hidden tab, offline) out of its deadline: nobody was
 * waiting.
 *
 * TanStack pauses only before an attempt, so a cache is listened to from the first failure in it on:
 * queries that succeed at once cost nothing. The listener lives as long as the cache.
 */
export function trackPauses(cache: QueryCache): void {
  if (tracked.has(cache)) return
  tracked.add(cache)
  cache.subscribe(event => {
    const operation = event.type === 'updated' && operationOf(event.query)
    if (!operation) return
    const { type } = event.action
    const nowMs = operation.clock.nowMs()
    if (type === 'pause') operation.pausedAtMs = nowMs
    if (type === 'continue') {
      operation.uncountedMs += nowMs - (operation.pausedAtMs ?? nowMs)
      operation.pausedAtMs = undefined
    }
  })
}
