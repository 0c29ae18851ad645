import { DEFAULT_RETRY_POLICY, decide } from '@query-retry/core'
import { pairDecisions, type RetryQuestion } from './decision-pair.ts'
import { isServer } from './is-server.ts'

const pair = pairDecisions((failureCount, error) =>
  decide(DEFAULT_RETRY_POLICY, { error, retryIndex: isServer() ? Infinity : failureCount }),
)

/**
 * The default policy as a `retry` option, where the whole preset is too much:
 * `queries: { retry, retryDelay }`.
 *
 * It knows a failure and its number, not the operation. So the deadline bounds each wait alone (an
 * operation waits at most 15 s by backoff, or four times what a server may ask for), there is no
 * attempt timeout, no `meta.retry` and no event, and a notice has no countdown. On a server nothing
 * is retried.
 *
 * @param failureCount - 0 after the first failure
 * @returns literally true or false. Never throws.
 */
export const retry: RetryQuestion<boolean> = pair.retry

/**
 * The wait that belongs to {@link retry}: both answer from one decision.
 *
 * @returns whole milliseconds, 0 where nothing is retried. Never throws.
 */
export const retryDelay: RetryQuestion<number> = pair.retryDelay
