import type { Clock, Random } from '@query-retry/core'
import { onlineManager, type QueryCache } from '@tanstack/react-query'
import { isServer } from './is-server.ts'
import type { AnyQuery } from './operation.ts'
import { takeResumed } from './pause-tracker.ts'
import { ask } from './report-thrown.ts'

/** Holds back attempts that resume together. */
export interface CalmReturn {
  /** Whether the attempt that starts now comes after a pause. To be asked once for each attempt. */
  isReturning(query: AnyQuery, cache: QueryCache, isFirst: boolean): boolean
  /** Waits for the turn of one attempt, at most `longestMs`. */
  takeTurn(longestMs: number): Promise<void>
}

/** Queries may resume later than the page does: after the paused mutations. */
const COLD_START_MS = 5_000

/**
 * Spreads attempts that resume together over `spreadMs`, measured from the first of them: TanStack starts
 * all that a page has paused within a millisecond of coming back.
 */
export function createCalmReturn(clock: Clock, random: Random, spreadMs: number): CalmReturn {
  let firstAtMs = -Infinity
  let isOffline = !onlineManager.isOnline()
  let backAtMs = -Infinity
  /** What a page that starts offline pauses, it pauses before its cache is listened to: until when that comes back. */
  const coldUntilMs = new WeakMap<QueryCache, number>()
  if (!isServer()) {
    onlineManager.subscribe(isOnline => {
      if (isOnline && isOffline) backAtMs = clock.nowMs()
      isOffline = !isOnline
    })
  }

  return {
    isReturning(query, cache, isFirst) {
      let untilMs = coldUntilMs.get(cache)
      if (untilMs === undefined) {
        const nowMs = clock.nowMs()
        untilMs = nowMs - backAtMs < COLD_START_MS ? nowMs + spreadMs : 0
        coldUntilMs.set(cache, untilMs)
      }
      // Every attempt comes by here: the clock is read only where there was a cold start.
      const isCold = isFirst && untilMs > 0 && clock.nowMs() < untilMs
      return (takeResumed(query) || isCold) && spreadMs > 0
    },
    takeTurn(longestMs) {
      const nowMs = clock.nowMs()
      // Where it is over, or was long ago, another spread begins.
      if (!(firstAtMs + spreadMs > nowMs)) firstAtMs = nowMs
      // Drawn inside what is left, and not clamped: those who come late would all come at once.
      const leftMs = Math.min(firstAtMs + spreadMs - nowMs, longestMs)
      const share = Math.min(1, ask(random) ?? 0.5)
      return clock.sleep(Math.max(0, share * leftMs) || 0)
    },
  }
}
