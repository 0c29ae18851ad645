import { classifyFailure, type Failure } from '@query-retry/core'
import { onlineManager } from '@tanstack/react-query'
import { type AnyQuery, operationOf, type PresetStopReason } from './operation.ts'

interface Trouble {
  /** Attempts that failed so far. */
  failureCount: number
  /** The last failure, once there was one. */
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
      /** Whole seconds, rounded up; measured with the monotonic clock. */
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

/**
 * What there is to say about one query.
 *
 * Where the preset's middleware is absent (the plain `retry` pair, an own persister that is not
 * wrapped) nobody knows when the next attempt comes: such a query is `'attempting'` from its first
 * failure to its end.
 */
export function readNotice(query: AnyQuery): RetryNoticeState {
  const { fetchStatus, fetchFailureCount, fetchFailureReason, status, error } = query.state
  const latest = operationOf(query)
  const isOver = fetchStatus === 'idle'
  if (isOver && status !== 'error') return { phase: 'idle' }
  // While fetching, an operation that has ended belongs to an earlier fetch.
  const operation = !isOver && latest?.isFinished ? undefined : latest
  const failureCount = operation?.failureCount ?? (latest && !isOver ? 0 : fetchFailureCount)
  const trouble = {
    failureCount,
    queryCount: 1,
    ...(failureCount > 0 && {
      failure: operation?.failure ?? classifyFailure(isOver ? error : fetchFailureReason),
    }),
  }

  if (fetchStatus === 'paused') {
    return { ...trouble, phase: 'paused', cause: onlineManager.isOnline() ? 'hidden' : 'offline' }
  }
  if (isOver) {
    return {
      ...trouble,
      phase: 'stopped',
      stopReason: operation?.stopReason ?? 'disabled',
      effect: trouble.failure?.effect ?? 'unknown',
    }
  }
  if (failureCount === 0) return { phase: 'idle' }
  if (operation?.retryAtMs === undefined) return { ...trouble, phase: 'attempting' }
  const { clock, policy, retryAtMs } = operation
  const leftMs = retryAtMs - clock.nowMs()
  return {
    ...trouble,
    phase: 'waiting',
    retryNumber: failureCount,
    maxRetries: policy.options.maxRetries,
    retryAtEpochMs: Math.round(clock.epochMs() + leftMs),
    secondsLeft: Math.max(0, Math.ceil(leftMs / 1_000)),
    reason: trouble.failure?.reason ?? 'unknown',
  }
}
