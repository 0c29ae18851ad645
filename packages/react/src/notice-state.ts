import { type Clock, classifyFailure, type Failure } from '@query-retry/core'
import { focusManager, onlineManager } from '@tanstack/react-query'
import { isRestarted, latestError } from './notice-actions.ts'
import { type AnyQuery, operationOf, type PresetStopReason } from './operation.ts'

interface Trouble {
  /** Attempts of the running fetch or mutation, or of the one that ended, that failed. */
  failureCount: number
  /** The last failure, once there was one; after "try now" the one before it. */
  failure?: Failure
  /** What is said is said of a mutation. */
  isMutation: boolean
  /** Of a mutation: when it last answered the server was still at it, and is asked again for its answer. */
  isInProgress: boolean
  /** How many queries this notice stands for. 1, but for the whole client or a key that several queries share. */
  queryCount: number
  /** How many mutations. Both can be above 0 in a notice for the whole client. */
  mutationCount: number
}

/** What the person waiting may be told. */
export type RetryNoticeState =
  | { phase: 'idle' }
  | (Trouble & {
      phase: 'waiting'
      /**
       * 1-based number of the retry that comes next, of those that count. 0 where nothing counts yet: the first
       * attempt itself waits for a circuit to close, or failed offline.
       */
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
      /**
       * Whether it may have happened. Of a mutation under a key: what is known of all its attempts, not of
       * the last one alone.
       */
      effect: Failure['effect']
    })

type WithoutCounts<Notice> = Notice extends unknown
  ? Omit<Notice, 'queryCount' | 'mutationCount'>
  : never

/** What there is to tell of one query or mutation. */
export type SubjectNotice = WithoutCounts<RetryNoticeState>

export const IDLE: { phase: 'idle' } = { phase: 'idle' }

/**
 * What there is to say about one query.
 *
 * Where the preset's middleware is absent (the plain `retry` pair, an own persister that is not
 * wrapped) nobody knows when the next attempt comes: such a query is `'attempting'` from its first
 * failure to its end.
 */
export function readQueryNotice(query: AnyQuery): SubjectNotice {
  const { fetchStatus, fetchFailureCount, status } = query.state
  const latest = operationOf(query)
  const isOver = fetchStatus === 'idle'
  if (isOver && status !== 'error') return IDLE
  // While fetching, an operation with another promise belongs to an earlier fetch.
  const operation = isOver || latest?.promise === query.promise ? latest : undefined
  // And TanStack's own count may still be that fetch's.
  const failureCount = operation?.failureCount ?? (latest ? 0 : fetchFailureCount)
  const hasFailed = isOver || operation || failureCount > 0 || isRestarted(query)
  const failure = hasFailed
    ? (operation?.failure ?? classifyFailure(latestError(query)))
    : undefined
  const trouble = { failureCount, failure, isMutation: false, isInProgress: false }

  if (fetchStatus === 'paused') {
    return { ...trouble, phase: 'paused', cause: pauseCause() ?? 'offline' }
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
  const { clock, policy, retryAtMs, retryNumber = 0 } = operation
  return waitingNotice(
    { ...trouble, failure },
    { clock, retryAtMs },
    { retryNumber, maxRetries: policy.options.maxRetries },
  )
}

/** When the next attempt is due, on this clock's monotonic time. */
export interface Schedule {
  clock: Clock
  retryAtMs: number
}

export function waitingNotice(
  trouble: Omit<Trouble, 'queryCount' | 'mutationCount'> & { failure: Failure },
  { clock, retryAtMs }: Schedule,
  retry: { retryNumber: number; maxRetries: number },
): SubjectNotice {
  const leftMs = retryAtMs - clock.nowMs()
  return {
    ...trouble,
    ...retry,
    phase: 'waiting',
    retryAtEpochMs: Math.round(clock.epochMs() + leftMs),
    secondsLeft: Math.max(1, Math.ceil(leftMs / 1_000)),
    reason: trouble.failure.reason,
  }
}

/** Undefined where nothing keeps it from going on. */
export function pauseCause(): 'offline' | 'hidden' | undefined {
  if (!onlineManager.isOnline()) return 'offline'
  return focusManager.isFocused() ? undefined : 'hidden'
}
