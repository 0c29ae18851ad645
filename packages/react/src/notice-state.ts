import { classifyFailure, type Failure } from '@query-retry/core'
import { focusManager, onlineManager } from '@tanstack/react-query'
import { isRestarted, latestError } from './notice-actions.ts'
import { type AnyQuery, operationOf, type PresetStopReason } from './operation.ts'

interface Trouble {
  /** Attempts of the running fetch, or of the one that ended, that failed. */
  failureCount: number
  /** The last failure, once there was one; after "try now" the one before it. */
  failure?: Failure
  /** How many queries this notice stands for. 1, but for the whole client or a key that several queries share. */
  queryCount: number
}

/** What the person waiting may be told. */
export type RetryNoticeState =
  | { phase: 'idle' }
  | (Trouble & {
      phase: 'waiting'
      /** 1-based number of the retry that comes next. */
      retryNumber: number
      /** `Infinity` where there is no limit. */
      maxRetries: number
      /** Unix milliseconds by this machine's wall clock. */
      retryAtEpochMs: number
      /** Whole seconds, rounded up, at least 1; measured with the monotonic clock. */
      secondsLeft: number
      /** A short slug: `http-503`, `network`. */
      reason: string
    })
  | (Trouble & { phase: 'attempting' })
  | (Trouble & { phase: 'paused'; cause: 'offline' | 'hidden' })
  | (Trouble & {
      phase: 'stopped'
      stopReason: PresetStopReason
      /** Whether the request may have taken effect. */
      effect: Failure['effect']
    })

export const IDLE: RetryNoticeState = { phase: 'idle' }

/**
 * What there is to say about one query.
 *
 * Where the preset's middleware is absent (the plain `retry` pair, an own persister that is not
 * wrapped) nobody knows when the next attempt comes: such a query is `'attempting'` from its first
 * failure to its end.
 */
export function readNotice(query: AnyQuery): RetryNoticeState {
  const { fetchStatus, fetchFailureCount, status } = query.state
  const latest = operationOf(query)
  const isOver = fetchStatus === 'idle'
  if (isOver && status !== 'error') return IDLE
  // While fetching, an operation with another promise belongs to an earlier fetch.
  const operation = isOver || latest?.promise === query.promise ? latest : undefined
  // And TanStack's own count may still be that fetch's.
  const failureCount = operation?.failureCount ?? (latest ? 0 : fetchFailureCount)
  const hasFailed = isOver || failureCount > 0 || isRestarted(query)
  const failure = hasFailed
    ? (operation?.failure ?? classifyFailure(latestError(query)))
    : undefined
  const trouble = { failureCount, failure, queryCount: 1 }

  if (fetchStatus === 'paused') {
    const isHidden = onlineManager.isOnline() && !focusManager.isFocused()
    return { ...trouble, phase: 'paused', cause: isHidden ? 'hidden' : 'offline' }
  }
  if (isOver) {
    return {
      ...trouble,
      phase: 'stopped',
      stopReason: operation?.stopReason ?? 'disabled',
      effect: failure?.effect ?? 'unknown',
    }
  }
  if (!failure) return IDLE
  if (operation?.retryAtMs === undefined) return { ...trouble, phase: 'attempting' }
  const { clock, policy, retryAtMs } = operation
  const leftMs = retryAtMs - clock.nowMs()
  return {
    ...trouble,
    phase: 'waiting',
    retryNumber: failureCount,
    maxRetries: policy.options.maxRetries,
    retryAtEpochMs: Math.round(clock.epochMs() + leftMs),
    secondsLeft: Math.max(1, Math.ceil(leftMs / 1_000)),
    reason: failure.reason,
  }
}
