import type { Clock, Random } from '@query-retry/core'
import { onlineManager } from '@tanstack/react-query'
import { isServer } from './is-server.ts'
import type { AnyQuery } from './operation.ts'
import { takeResumed } from './pause-tracker.ts'

/** Holds back attempts that resume together. */
export interface CalmReturn {
  /** Whether the attempt that starts now comes after a pause. To be asked once for each attempt. */
  isReturning(query: AnyQuery, isFirst: boolean): boolean
  /** Waits for the turn of one attempt. */
  takeTurn(): Promise<void>
}

/**
 * Spreads attempts that resume together over `spreadMs`, measured from the first of them: TanStack starts
 * all that a page has paused within a millisecond of coming back.
 */
export function createCalmReturn(clock: Clock, random: Random, spreadMs: number): CalmReturn {
  let firstAtMs = -Infinity
  /** What a page that starts offline pauses, it pauses before there is a cache to listen to. */
  let isColdStart = !onlineManager.isOnline()
  let coldUntilMs: number | undefined
  let stop = isServer()
    ? undefined
    : onlineManager.subscribe(isOnline => {
        isColdStart ||= !isOnline
      })

  return {
    isReturning(query, isFirst) {
      if (isColdStart) coldUntilMs = clock.nowMs() + spreadMs
      isColdStart = false
      stop = stop?.() as undefined
      const isCold = isFirst && coldUntilMs && clock.nowMs() < coldUntilMs
      return (takeResumed(query) || !!isCold) && spreadMs > 0
    },
    takeTurn() {
      const nowMs = clock.nowMs()
      if (nowMs - firstAtMs > spreadMs) firstAtMs = nowMs
      return clock.sleep(Math.max(0, firstAtMs - nowMs + random() * spreadMs))
    },
  }
}
