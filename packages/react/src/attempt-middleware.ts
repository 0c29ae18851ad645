import {
  attemptLimitMs,
  type Clock,
  canAttemptAfter,
  DeadlineExceededError,
  type RetryPolicy,
} from '@query-retry/core'
import type {
  QueryClient,
  QueryFunction,
  QueryFunctionContext,
  QueryKey,
} from '@tanstack/react-query'
import { limitAttempt } from './attempt-limit.ts'
import { createAttemptTimer } from './attempt-timer.ts'
import { pairDecisions, type RetryPair } from './decision-pair.ts'
import { unlessDisabled } from './kill-switch.ts'
import {
  type AnyQuery,
  announceOperation,
  elapsedMs,
  type Operation,
  operationOf,
  type PresetStopReason,
  rememberOperation,
} from './operation.ts'
import { trackPauses } from './pause-tracker.ts'
import { reportThrown } from './report-thrown.ts'
import type { RetryEvent, RetryEventListener } from './retry-events.ts'

/** TanStack's `persister`, called for every attempt. */
export type AttemptMiddleware = <T, K extends QueryKey = QueryKey, P = never>(
  queryFn: QueryFunction<T, K, P>,
  context: QueryFunctionContext<K>,
  query: AnyQuery,
) => T | Promise<T>

/**
 * An {@link AttemptMiddleware} for any query. TypeScript infers nothing from `any`: spread into a query's
 * options it leaves `data` what it was, where a generic function would make it `unknown`.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type SpreadablePersister = any

export interface AttemptMiddlewareOptions {
  /** The policy of a new fetch, or the one for failures whose query is unknown. */
  policyFor(query?: AnyQuery, client?: QueryClient): RetryPolicy
  /** False: nothing is retried. */
  isEnabled(): boolean
  clock: Clock
  onEvent: RetryEventListener
}

/**
 * Gives TanStack's `retry` and `retryDelay` the operation they are about.
 *
 * TanStack calls `persister(queryFn, context, query)` for every attempt, and `query.promise` is
 * another object for every fetch: together they tell which operation an attempt belongs to, and the
 * error it throws leads the two functions back to it.
 */
export function createAttemptMiddleware({
  policyFor,
  isEnabled,
  clock,
  onEvent,
}: AttemptMiddlewareOptions): {
  persister: AttemptMiddleware
  wrapPersister(inner: AttemptMiddleware): AttemptMiddleware
} & RetryPair {
  /**
   * Operations that TanStack has not asked about yet, in the order in which they failed: it asks in
   * that order. Several may have failed with one error object (a shared token refresh).
   */
  const pending = new Set<Operation>()
  const timer = createAttemptTimer(clock)

  async function runAttempt<T, C extends QueryFunctionContext>(
    run: (context: C) => T | Promise<T>,
    context: C,
    query: AnyQuery,
  ): Promise<T> {
    const { promise } = query
    const startedAtMs = clock.nowMs()
    const latest = operationOf(query)
    // A fetch gets its operation with its first failure: one that succeeds at once leaves nothing behind.
    let operation = latest?.promise === promise ? latest : undefined
    const policy = operation?.policy ?? policyFor(query, context.client)
    try {
      if (operation) startRetry(operation)
      // TanStack keeps an infinite query's pages across attempts and ignores our context: a limit would lose pages.
      const limitMs =
        !('initialPageParam' in query.options) &&
        attemptLimitMs(policy.options, operation ? elapsedMs(operation) : 0)
      const data = await (limitMs ? limitAttempt(run, context, limitMs, timer) : run(context))
      if (operation && !operation.isFinished) {
        operation.isFinished = true
        emit('recovered', operation)
      }
      return data
    } catch (error) {
      // The answer to a fetch that was taken back meanwhile is nobody's failure.
      if (
        !operation?.isFinished &&
        query.promise === promise &&
        query.state.fetchStatus !== 'idle'
      ) {
        operation ??= begin({ query, promise, policy, clock, startedAtMs }, context.client)
        failed(operation, error)
      }
      throw error
    }
  }

  function begin(
    fetch: Pick<Operation, 'query' | 'promise' | 'policy' | 'clock' | 'startedAtMs'>,
    client: QueryClient,
  ): Operation {
    const operation: Operation = { ...fetch, attempt: 1, failureCount: 0, uncountedMs: 0 }
    rememberOperation(operation)
    trackPauses(client.getQueryCache())
    const onSettled = (reason: unknown) => end(operation, reason)
    operation.promise?.then(onSettled, onSettled)
    return operation
  }

  /** @throws {DeadlineExceededError} where the wait ended too late for an attempt */
  function startRetry(operation: Operation): void {
    const { options } = operation.policy
    const elapsed = elapsedMs(operation)
    operation.retryAtMs = undefined
    // No deadline holds where a `retry` of the query's own granted this one.
    if (operation.previousDelayMs !== undefined && !canAttemptAfter(options, elapsed, 0)) {
      throw new DeadlineExceededError(options.deadlineMs, elapsed, operation.lastError)
    }
    operation.attempt++
    announceOperation(operation)
    emit('retry-started', operation)
  }

  function failed(operation: Operation, error: unknown): void {
    operation.failureCount = operation.attempt
    operation.lastError = error
    pending.delete(operation)
    // Where the query has numbers for both, TanStack asks about nothing.
    const { retry, retryDelay } = operation.query.options
    if (typeof retry === 'function' || typeof retryDelay === 'function') pending.add(operation)
  }

  function takePending(error: unknown): Operation | undefined {
    for (const operation of pending) {
      if (Object.is(operation.lastError, error)) {
        pending.delete(operation)
        return operation
      }
    }
    return undefined
  }

  /** Decides for the operation that failed with this error. Neither it nor {@link commit} throws. */
  function decideNext(failureCount: number, error: unknown) {
    const operation = takePending(error)
    const asked = (operation?.policy ?? policyFor()).decide({
      error,
      retryIndex: failureCount,
      elapsedMs: operation && elapsedMs(operation),
      previousDelayMs: operation?.previousDelayMs,
      nowEpochMs: clock.epochMs(),
    })
    const decision = unlessDisabled(asked, isEnabled)
    // Where we refused to send, the last real failure stays on show.
    if (operation && decision.failure.kind !== 'refused') operation.failure = decision.failure
    return { ...decision, operation }
  }

  function commit({ operation, ...decision }: ReturnType<typeof decideNext>): void {
    if ('classifyError' in decision) {
      reportThrown(decision.classifyError)
    }
    if (!operation) return
    if (decision.failure.kind !== 'refused') emit('attempt-failed', operation)
    if (decision.retry) {
      const { delayMs, drawMs, source } = decision
      operation.previousDelayMs = drawMs
      operation.retryAtMs = clock.nowMs() + delayMs
      emit('retry-scheduled', operation, { attempt: operation.attempt + 1, delayMs, source })
      announceOperation(operation)
    } else {
      finish(operation, decision.reason, decision.classifyError)
    }
  }

  /**
   * Says what is left to say when a fetch ends that neither succeeded nor was refused a retry by us.
   *
   * @param reason - what it rejected with
   */
  function end(operation: Operation, reason?: unknown): void {
    pending.delete(operation)
    if (operation.isFinished) return
    // With its own last error, though we granted nothing: the query has a `retry` of its own.
    const isOwnRetry =
      operation.previousDelayMs === undefined && Object.is(operation.lastError, reason)
    finish(operation, isOwnRetry ? 'disabled' : 'cancelled')
  }

  function finish(operation: Operation, stopReason: PresetStopReason, optionError?: unknown): void {
    operation.isFinished = true
    operation.stopReason = stopReason
    emit('gave-up', operation, { stopReason, optionError })
    announceOperation(operation)
  }

  function emit<T extends RetryEvent['type']>(
    type: T,
    operation: Operation,
    details?: Partial<RetryEvent>,
  ): void {
    onEvent({
      type,
      queryHash: operation.query.queryHash,
      attempt: operation.attempt,
      elapsedMs: elapsedMs(operation),
      reason: operation.failure?.reason ?? 'unknown',
      ...details,
    } as RetryEvent)
  }

  const wrapPersister =
    (inner: AttemptMiddleware): AttemptMiddleware =>
    (queryFn, context, query) =>
      runAttempt(own => inner(queryFn, own, query), context, query)
  return {
    persister: wrapPersister((queryFn, context) =>
      (queryFn as (context: unknown) => never)(context),
    ),
    wrapPersister,
    ...pairDecisions(decideNext, commit),
  }
}
