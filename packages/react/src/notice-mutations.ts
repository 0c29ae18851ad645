import { classifyFailure, type Failure } from '@query-retry/core'
import type { MutationCache } from '@tanstack/react-query'
import { traceOf } from './mutations/attempt-traces.ts'
import type { FailedAttempt } from './mutations/failed-attempts.ts'
import type { AnyMutation } from './mutations/idempotent-mutation-options.ts'
import { decideMutation, guardSettings } from './mutations/mutation-guard.ts'
import {
  IDLE,
  pauseCause,
  type Schedule,
  type SubjectNotice,
  waitingNotice,
} from './notice-state.ts'

/** Of our refusals those that are about an earlier attempt, which may have done something. */
const IS_ABOUT_EARLIER = /UNKNOWN|EXPIRED|CONFLICT|UNREADABLE/

/**
 * What there is to say about one mutation.
 *
 * With a `retry` of its own nobody knows when the next attempt comes: such a mutation is `'attempting'`
 * from its first failure to its end.
 */
export function readMutationNotice(mutation: AnyMutation): SubjectNotice {
  const { failureCount, failureReason, isPaused, status } = mutation.state
  const isOver = status === 'error'
  if (!isOver && status !== 'pending') return IDLE
  const attempt = failedAttemptOf(mutation)
  const failure = failureCount ? (attempt?.failure ?? classifyFailure(failureReason)) : undefined
  const isInProgress = attempt?.verdict?.kind === 'in-progress'
  const trouble = { failureCount, failure, isMutation: true, isInProgress }

  if (failure && (isOver || attempt?.isCancelled)) {
    const effect = effectOf(failure, attempt ?? { error: failureReason }, failureCount)
    if (effect === 'done') return IDLE
    // TanStack counts the end of a wait without an attempt as a failure.
    if (isOver && attempt?.isCancelled) trouble.failureCount--
    const stopReason = attempt?.isCancelled ? 'cancelled' : (attempt?.reason ?? 'disabled')
    return { ...trouble, phase: 'stopped', stopReason, effect }
  }
  // There is no cause where it is behind another one of its scope.
  const cause = isPaused && pauseCause()
  if (cause) return { ...trouble, phase: 'paused', cause }
  if (!failure) return IDLE
  const schedule = scheduleOfMutation(mutation)
  if (!attempt?.settings || !schedule || schedule.retryAtMs <= schedule.clock.nowMs()) {
    return { ...trouble, phase: 'attempting' }
  }
  return waitingNotice({ ...trouble, failure }, schedule, {
    retryNumber: attempt.retryNumber ?? failureCount,
    maxRetries: isInProgress ? Infinity : attempt.settings.policy.options.maxRetries,
  })
}

/** When the latest retry that was granted is due, or was. */
export function scheduleOfMutation(mutation: AnyMutation): Schedule | undefined {
  const { delayMs, failedAtMs, settings } = failedAttemptOf(mutation) ?? {}
  return settings && { clock: settings.clock, retryAtMs: Number(failedAtMs) + (delayMs ?? 0) }
}

/**
 * Nothing is sent when the wait is over. Until then TanStack keeps the mutation pending: it lets nobody
 * end a mutation's wait, and then it fails with the error that it already has.
 */
export function cancelRetry(mutation: AnyMutation): void {
  const attempt = failedAttemptOf(mutation)
  if (attempt) attempt.isCancelled = true
}

/** The mutation that sends what this one has joined, or itself. */
export function senderOf(mutation: AnyMutation, cache: MutationCache): AnyMutation {
  const trace = traceOf(mutation)
  const isSender = (other: AnyMutation) => other !== mutation && traceOf(other)?.run === trace?.run
  return (trace && trace.retry === undefined && cache.getAll().find(isSender)) || mutation
}

/** What was decided about the latest failed attempt, where somebody has decided it. */
function failedAttemptOf(mutation: AnyMutation): FailedAttempt | undefined {
  const { failureCount, failureReason: error, status } = mutation.state
  const trace = traceOf(mutation)
  if (trace?.retry !== undefined && Object.is(trace.error, error)) return trace
  // Somebody else has sent it, and is gone with what they knew of the attempts before the last.
  const verdict = { kind: 'unknown', reason: '', next: 'stop' } as const
  if (trace?.run && trace.retry === undefined) return { error, retry: false, verdict }
  const settings = guardSettings(mutation.options.retry)
  if (!settings || status !== 'error') return undefined
  // Without a key: what the guard has said, asked again without a draw.
  const options = { ...settings.policy.options, random: () => 0 }
  const decision = decideMutation(settings, { error, retryIndex: failureCount - 1 }, options)
  const { failure, retry } = decision
  return { error, failure, retry: false, reason: retry ? 'no-stable-key' : decision.reason }
}

/** Whether it may have happened; `'done'` where it has, and nobody waits for anything. */
function effectOf(
  failure: Failure,
  { change, error, run, verdict }: Partial<FailedAttempt>,
  failureCount: number,
): Failure['effect'] | 'done' {
  const state = change?.record?.state
  const { code, name } = Object(error)
  if (state === 'succeeded' || code === 'RESULT_LOST') return 'done'
  if (verdict?.kind === 'rejected' || code === 'REJECTED') return 'rejected'
  // This attempt did nothing, and no earlier one is unresolved.
  if (state === 'rejected') return 'none'
  // What is said of one attempt says nothing of those before it.
  if (verdict || failureCount > 1) return 'unknown'
  const isRefusal = run || name === 'IntentError'
  return isRefusal && !IS_ABOUT_EARLIER.test(code) ? 'none' : failure.effect
}
