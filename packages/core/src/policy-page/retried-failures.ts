import { AttemptTimeoutError } from '../errors.ts'
import { decide, type ResolvedRetryPolicy } from '../retry-policy.ts'

/** What a policy retries, as its own `classify` answers when it is shown one error of each kind. */
export interface RetriedFailures {
  /** From 400 to 599, shown as `{ status, headers, response: { status, headers } }`. */
  statuses: number[]
  /** Lost connections. */
  isNetworkRetried: boolean
  isTimeoutRetried: boolean
  /** `x.map is not a function`, say. */
  isMistakeRetried: boolean
  /** Whether `x-should-retry: true` makes another status retryable (404), and `false` one of these final (503). */
  canServerAllow: boolean
  canServerForbid: boolean
  /** Some of it could not be read: `classify` threw. */
  isUnread: boolean
}

/**
 * Asks the policy about one failure after another. Never throws.
 *
 * @param isRepeatable - false: only what certainly did not happen counts as retried
 */
export function readRetriedFailures(
  options: ResolvedRetryPolicy,
  isRepeatable: boolean,
): RetriedFailures {
  const asking: ResolvedRetryPolicy = {
    ...options,
    maxRetries: 1,
    deadlineMs: Infinity,
    // Not the policy's own: nobody misses a draw afterwards.
    random: () => 0,
  }
  let isUnread = false
  const isRetried = (error: unknown) => {
    const decision = decide(asking, { error, retryIndex: 0 })
    if ('classifyError' in decision) isUnread = true
    return decision.retry && (isRepeatable || decision.failure.effect !== 'unknown')
  }
  const isAnswerRetried = (status: number, headers: Record<string, string> = {}) =>
    isRetried({ status, headers, response: { status, headers } })
  const saying = (verdict: string) => ({ 'x-should-retry': verdict })
  const statuses = Array.from({ length: 200 }, (_, index) => 400 + index).filter(status =>
    isAnswerRetried(status),
  )
  const [allowed = 0] = [404, 403, 400].filter(status => !statuses.includes(status))
  return {
    statuses,
    isNetworkRetried: isRetried(new TypeError('Failed to fetch')),
    isTimeoutRetried: isRetried(new AttemptTimeoutError(1_000)),
    isMistakeRetried: isRetried(new TypeError('x.map is not a function')),
    canServerAllow: isAnswerRetried(allowed, saying('true')),
    canServerForbid: statuses.some(status => !isAnswerRetried(status, saying('false'))),
    isUnread,
  }
}
