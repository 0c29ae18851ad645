import {
  type BackoffOptions,
  DEFAULT_BACKOFF,
  drawBackoff,
  type ResolvedBackoff,
  windowMs,
} from './backoff.ts'
import { CIRCUIT_OPEN, type Classify, classifyFailure } from './classify-failure.ts'
import { MAX_TIMER_MS } from './clock.ts'
import { type DeadlineOptions, timeLeftMs } from './deadline.ts'
import type { Failure } from './failure.ts'
import { checkOptions, POLICY_RULES } from './option-rules.ts'
import { drawBetween } from './random.ts'

/** What a policy is built from. Durations are milliseconds. */
export interface RetryPolicyOptions extends BackoffOptions {
  /** Retries, not counting the first attempt. Default 4; `Infinity` allowed. */
  maxRetries?: number
  /**
   * Time for the whole operation, from the first attempt's start. Default 30,000; `Infinity` allowed.
   * It stops new attempts and waits. It never cuts an attempt short unless `attemptTimeoutMs` is set.
   */
  deadlineMs?: number
  /** Limit of one attempt, at most what the deadline leaves. Default none. */
  attemptTimeoutMs?: number
  /** No attempt starts with less time left. Default 0. */
  minAttemptMs?: number
  /** Kept free before the deadline. Default 0. */
  reserveMs?: number
  /** A server that asks for a longer wait ends the operation. Default 60,000. */
  maxServerWaitMs?: number
  /**
   * What jitter does to a server's wait. Default `'add'`: it goes on top, since clients told the same
   * number must not come back together. `'max'`: the longer of server wait and backoff draw.
   */
  serverWait?: 'add' | 'max'
  /** Reads errors. Default {@link classifyFailure}. */
  classify?: Classify
}

/** Every policy option with a value. */
export type ResolvedRetryPolicy = ResolvedBackoff &
  DeadlineOptions &
  Required<Pick<RetryPolicyOptions, 'maxRetries' | 'maxServerWaitMs' | 'serverWait' | 'classify'>>

/** Why an operation ends, in the order in which the reasons are checked. */
export type StopReason =
  | 'cancelled'
  | 'not-retryable'
  | 'server-said-no'
  | 'retries-exhausted'
  | 'server-wait-too-long'
  | 'deadline'
  /** The breaker is open, and waiting for its probe does not fit the deadline. */
  | 'circuit-open'
  /** No retry is left in the budget: found by whoever holds one, after the decision. */
  | 'budget-exhausted'

export interface DecisionInput {
  /** What the attempt threw. */
  error: unknown
  /** 0 before the first retry. Only failures that count raise it. */
  retryIndex: number
  /** Milliseconds since the first attempt's start. Default 0: the deadline then bounds this wait alone. */
  elapsedMs?: number
  /** The operation's previous {@link RetryDecision.drawMs}, for decorrelated jitter. */
  previousDelayMs?: number
  /** Wall clock, Unix milliseconds, for a `Retry-After` date on a response without `Date`. */
  nowEpochMs?: number
  /** Milliseconds until the circuit breaker's next probe is due, where there is one to wait for. */
  probeWaitMs?: number
  /**
   * The breaker turned the attempt away, so nothing was sent and `classify` is not asked: the operation
   * waits as before its first retry, however many retries it has had.
   */
  isRefused?: boolean
}

export type RetryDecision =
  | {
      retry: true
      /** Whole milliseconds from 0 to 2^31 - 1. */
      delayMs: number
      /** Whether the delay comes from our backoff alone or from the server's wait as well. */
      source: 'backoff' | 'server'
      /** The backoff draw inside the delay: the next decision's `previousDelayMs`. */
      drawMs: number
      failure: Failure
    }
  | {
      retry: false
      reason: StopReason
      failure: Failure
      /** What `classify` (or `random`) threw, where it did: the operation ends, and nothing hides the mistake. */
      classifyError?: unknown
    }

export interface RetryPolicy {
  /** The options with every default filled in. */
  readonly options: Readonly<ResolvedRetryPolicy>
  /**
   * Decides what follows a failed attempt. Pure, but for the draw from `random`: it waits for
   * nothing, counts nothing and remembers nothing. Never throws.
   */
  decide(input: DecisionInput): RetryDecision
}

export const DEFAULT_RETRY_POLICY: ResolvedRetryPolicy = {
  ...DEFAULT_BACKOFF,
  maxRetries: 4,
  deadlineMs: 30_000,
  minAttemptMs: 0,
  reserveMs: 0,
  maxServerWaitMs: 60_000,
  serverWait: 'add',
  classify: classifyFailure,
}

/**
 * Builds a retry policy: how often, how long and after which failures an operation is tried again.
 *
 * @param defaults - for what `options` leaves out. Default {@link DEFAULT_RETRY_POLICY}
 * @throws {RetryOptionError} naming the option, its value and the accepted range
 * @example
 * const policy = createRetryPolicy({ maxRetries: 1, random: () => 0.5 })
 * policy.decide({ error: { status: 503 }, retryIndex: 0 }) // => { retry: true, delayMs: 600 }
 * policy.decide({ error: { status: 503 }, retryIndex: 1 }) // => { reason: 'retries-exhausted' }
 * policy.decide({ error: { status: 404 }, retryIndex: 0 }) // => { reason: 'not-retryable' }
 */
export function createRetryPolicy(
  options: RetryPolicyOptions = {},
  defaults: ResolvedRetryPolicy = DEFAULT_RETRY_POLICY,
): RetryPolicy {
  const resolved = checkOptions(options, POLICY_RULES, defaults)
  return { options: resolved, decide: input => decide(resolved, input) }
}

/** {@link RetryPolicy.decide} for options that are already resolved and valid. */
export function decide(options: ResolvedRetryPolicy, input: DecisionInput): RetryDecision {
  try {
    const { isRefused, probeWaitMs = 0 } = input
    // A copy: what a getter or a proxy throws, it throws here.
    const failure = {
      ...(isRefused ? CIRCUIT_OPEN : options.classify(input.error, input)),
    }
    if (typeof failure.retryable !== 'boolean')
      throw new TypeError('classify must return a Failure')
    const stop = (reason: StopReason): RetryDecision => ({ retry: false, reason, failure })

    // A refused attempt waits as before the first retry.
    const retryIndex = isRefused ? 0 : input.retryIndex
    if (failure.kind === 'cancelled') return stop('cancelled')
    if (failure.reason === 'deadline') return stop('deadline')
    if (!failure.retryable) return stop('not-retryable')
    if (failure.serverSaysRetry === false) return stop('server-said-no')
    if (!isRefused && !(retryIndex < options.maxRetries)) return stop('retries-exhausted')

    /** The longest wait that leaves time for an attempt. NaN fits nothing. */
    const roomMs = timeLeftMs(options, input.elapsedMs ?? 0) - options.minAttemptMs
    const ordinaryMs = windowMs(options, retryIndex, isRefused ? 0 : input.previousDelayMs)
    const drawMs = drawBackoff(options, ordinaryMs)
    /**
     * A wait, and what goes on top of it where all who wait were told the same: the herd told "5" is as large as
     * the server's trouble, so the spread grows with the wait, from `leastMs` up.
     */
    const spreadOver = (waitMs: number, leastMs: number): number => {
      if (options.jitter === 'none') return waitMs + drawMs
      const leftMs = roomMs - waitMs
      const widestMs = Math.max(leastMs, waitMs)
      // A wait below the floor moves the start: lifting the sum afterwards would gather clients on the floor.
      const lowMs = Math.max(0, options.floorMs - waitMs)
      const highMs = leastMs <= leftMs ? Math.min(widestMs, leftMs) : widestMs
      return waitMs + drawBetween(lowMs, highMs, options.random)
    }

    const serverWaitMs = Math.ceil(failure.serverWaitMs || 0)
    let delayMs = drawMs
    if (serverWaitMs > 0) {
      if (!(serverWaitMs <= Math.min(options.maxServerWaitMs, MAX_TIMER_MS, roomMs)))
        return stop('server-wait-too-long')
      if (options.serverWait === 'max') delayMs = Math.max(serverWaitMs, drawMs)
      // After a 408 or 429 the limit is this client's alone.
      else if ((failure.status ?? 0) < 500) delayMs += serverWaitMs
      else delayMs = spreadOver(serverWaitMs, ordinaryMs)
    }
    // As after an overloaded server's own wait: all who wait for the probe would come back at once.
    const probeDelayMs =
      probeWaitMs > 0 ? spreadOver(Math.ceil(probeWaitMs), windowMs(options, 0)) : 0
    // At least 1: where others hold the probes there is no instant to wait for, and a draw may be 0.
    const waitMs = Math.max(delayMs, probeDelayMs, isRefused ? 1 : 0)
    // The breaker is named only where our own wait would have fitted.
    if (!(waitMs <= roomMs))
      return stop(isRefused || delayMs <= roomMs ? 'circuit-open' : 'deadline')
    return {
      retry: true,
      delayMs: Math.min(waitMs, MAX_TIMER_MS),
      source: serverWaitMs > 0 ? 'server' : 'backoff',
      drawMs,
      failure,
    }
  } catch (classifyError) {
    const failure = { ...classifyFailure(input.error), retryable: false }
    return { retry: false, reason: 'not-retryable', failure, classifyError }
  }
}
