import {
  type Classify,
  classifyFailure,
  createRetryPolicy,
  type Failure,
  type Random,
  type RetryDecision,
  type RetryPolicy,
} from '@query-retry/core'

/** What a {@link DelayPolicy} may look at besides the number of the retry. */
export interface DelayContext {
  /** The failure as core reads it; `failure.serverWaitMs` is the server's `Retry-After`. */
  failure: Failure
  /** What this client's previous `delayMs` gave; undefined before its first retry. */
  previousDelayMs: number | undefined
}

/** A policy as a formula: every failure is retried, after as long as it says. */
export interface DelayPolicy {
  /**
   * How long to wait. The result is taken as Node.js's timers take it: whole milliseconds, and 1 ms for what is
   * shorter, negative, NaN or longer than 2^31 - 1.
   *
   * @param retryIndex - 0 before the first retry
   */
  delayMs(retryIndex: number, random: Random, context: DelayContext): number
  /** Default `Infinity`: until it is served. */
  maxRetries?: number
}

/** One of core's policies, or a formula. */
export type HerdPolicy = RetryPolicy | DelayPolicy

/**
 * Makes a policy fit for a simulation: a formula becomes a policy, and core's policy is built again from its
 * own options with `random` for the draws, so that a seed repeats them.
 *
 * A policy's `options` are all that is read of it. One whose `decide` was replaced is simulated as core
 * would decide.
 */
export function seededPolicy(policy: HerdPolicy, random: Random): RetryPolicy {
  if ('decide' in policy) {
    const { options } = policy
    return createRetryPolicy({ ...options, random, classify: classifyOnce(options.classify) })
  }
  const { maxRetries = Infinity } = policy
  const classify = classifyOnce(classifyFailure)
  const { options } = createRetryPolicy({ maxRetries, deadlineMs: Infinity, random, classify })
  return {
    options,
    decide({ error, retryIndex, previousDelayMs, isRefused, probeWaitMs = 0 }): RetryDecision {
      const failure = classify(error)
      if (!isRefused && retryIndex >= maxRetries) {
        return { retry: false, reason: 'retries-exhausted', failure }
      }
      const drawMs = policy.delayMs(retryIndex, random, { failure, previousDelayMs })
      const delayMs = Math.max(asTimer(drawMs), Math.ceil(probeWaitMs))
      return { retry: true, delayMs, source: 'backoff', drawMs, failure }
    },
  }
}

/**
 * Reads each error once. A simulated server throws the same few objects again and again, and reading headers
 * is most of what a decision costs.
 */
function classifyOnce(classify: Classify): Classify {
  const known = new WeakMap<object, Failure>()
  return (error, options) => {
    if (Object(error) !== error) return classify(error, options)
    const key = error as object
    const failure = known.get(key) ?? classify(error, options)
    known.set(key, failure)
    return failure
  }
}

/** At least 1: without it a herd that waits for nothing would never let the virtual clock go on. */
function asTimer(delayMs: number): number {
  return delayMs >= 1 && delayMs <= 2_147_483_647 ? Math.floor(delayMs) : 1
}
