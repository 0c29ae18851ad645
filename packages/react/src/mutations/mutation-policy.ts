import {
  type Classify,
  classifyFailure,
  createRetryPolicy,
  DEFAULT_RETRY_POLICY,
  type Random,
  type RetryPolicy,
  type RetryPolicyOptions,
} from '@query-retry/core'

/**
 * Of the failures that may go away, those after which most likely nobody has answered: a lost
 * connection, an attempt's timeout, a gateway's (504). An overloaded server (502, 503, 429) has
 * answered, and what a second attempt would tell the person, the first has told already.
 */
export const classifyMutationFailure: Classify = (error, options) => {
  const failure = classifyFailure(error, options)
  const isLost = failure.kind !== 'http' || failure.status === 504
  return { ...failure, retryable: failure.retryable && isLost }
}

/**
 * The policy for mutations under a key: one retry, half a second to a second later, without a deadline
 * (an attempt may be as slow as the server needs; a second one is the last in any case).
 *
 * @throws {RetryOptionError} naming the option, its value and the accepted range
 */
export function createMutationPolicy(
  options: RetryPolicyOptions = {},
  random: Random,
): RetryPolicy {
  return createRetryPolicy(options, {
    ...DEFAULT_RETRY_POLICY,
    maxRetries: 1,
    deadlineMs: Infinity,
    jitter: 'equal',
    classify: classifyMutationFailure,
    random,
  })
}
