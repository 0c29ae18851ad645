import { canAttemptAfter, DeadlineExceededError } from '@query-retry/core'
import {
  announceOperation,
  elapsedMs,
  type Operation,
  type PresetStopReason,
  rememberOperation,
} from './operation.ts'
import type { RetryEvent, RetryEventListener } from './retry-events.ts'

/** What an operation begins with. */
export type OperationStart = Pick<
  Operation,
  'query' | 'promise' | 'policy' | 'scope' | 'clock' | 'startedAtMs'
>

/** Leads operations from their first failure to their end, tells of each step, and settles with their scope. */
export function createOperationLifecycle(onEvent: RetryEventListener) {
  /**
   * Operations that TanStack has not asked about yet, in the order in which they failed: it asks in
   * that order. Several may have failed with one error object (a shared token refresh).
   */
  const pending = new Set<Operation>()

  function begin(fetch: OperationStart): Operation {
    const operation: Operation = {
      ...fetch,
      attempt: 0,
      failureCount: 0,
      uncountedFailures: 0,
      uncountedMs: 0,
    }
    rememberOperation(operation)
    const onSettled = (reason: unknown) => end(operation, reason)
    operation.promise?.then(onSettled, onSettled)
    return operation
  }

  /** @throws {DeadlineExceededError} where the wait ended too late for an attempt */
  function checkDeadline(operation: Operation): void {
    const { options } = operation.policy
    const elapsed = elapsedMs(operation)
    operation.retryAtMs = undefined
    // No deadline holds where a `retry` of the query's own granted this one.
    if (operation.isGranted && !canAttemptAfter(options, elapsed, 0)) {
      throw new DeadlineExceededError(options.deadlineMs, elapsed, operation.lastError)
    }
  }

  function startAttempt(operation: Operation): void {
    operation.isPaid = false
    operation.scope.waiting.delete(operation)
    operation.attempt++
    announceOperation(operation)
    if (operation.attempt > 1) emit('retry-started', operation)
  }

  function failed(operation: Operation, error: unknown, isRefused: boolean): void {
    if (!isRefused) {
      // A first attempt has no operation to be counted in, before it fails.
      operation.attempt ||= 1
      operation.failureCount = operation.attempt
    }
    operation.isRefused = isRefused
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

  function recover(operation: Operation): void {
    if (operation.isFinished) return
    release(operation)
    operation.isFinished = true
    emit('recovered', operation)
  }

  /** Gives its scope back what the operation has not used: it may end where nothing was sent. */
  function release(operation: Operation): void {
    const { isPaid, scope } = operation
    scope.waiting.delete(operation)
    operation.isPaid = false
    if (isPaid) scope.budget?.refund()
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
    const isOwnRetry = !operation.isGranted && Object.is(operation.lastError, reason)
    finish(operation, isOwnRetry ? 'disabled' : 'cancelled')
  }

  function finish(operation: Operation, stopReason: PresetStopReason, optionError?: unknown): void {
    if (operation.isFinished) return
    release(operation)
    operation.isFinished = true
    operation.stopReason = stopReason
    if (stopReason === 'budget-exhausted')
      emit(stopReason, operation, { scope: operation.scope.name })
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

  return { begin, checkDeadline, startAttempt, failed, takePending, recover, finish, emit }
}
