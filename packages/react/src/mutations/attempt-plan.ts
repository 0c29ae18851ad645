import { classifyFailure } from '@query-retry/core'
import type { Verdict } from '../contracts/contract.ts'
import type { PresetDecision } from '../operation.ts'
import { decideMutation, type GuardSettings } from './mutation-guard.ts'

/** How long a request that is already under way is waited for, in all. */
const IN_PROGRESS_MS = 60_000

/** Decides what follows a failed attempt under a key, and counts what counts. */
export type AttemptPlan = (error: unknown, verdict: Verdict) => PresetDecision

/** @param settings - of the preset's guard; without one nothing is retried */
export function planAttempts(settings: GuardSettings | undefined): AttemptPlan {
  let retryCount = 0
  let pollCount = 0
  let pollingSinceMs: number | undefined
  let waitedMs = 0
  const startedAtMs = settings?.clock.nowMs() ?? 0

  return (error, { kind, next, reason, waitMs }) => {
    const failure = classifyFailure(error)
    if (!settings) return { retry: false, reason: 'disabled', failure }
    const { clock, policy } = settings
    const nowMs = clock.nowMs()
    if (kind === 'in-progress') {
      pollingSinceMs ??= nowMs
      const running = { ...failure, reason, retryable: true, serverWaitMs: waitMs }
      delete running.serverSaysRetry
      // Waits count in full, also where a test does without them.
      const elapsedMs = Math.max(nowMs - pollingSinceMs, waitedMs)
      const poll = decideMutation(
        settings,
        { error, retryIndex: pollCount++, elapsedMs },
        {
          ...policy.options,
          maxRetries: Infinity,
          deadlineMs: IN_PROGRESS_MS,
          classify: () => running,
        },
      )
      if (poll.retry) waitedMs += poll.delayMs
      return poll
    }
    const input = { error, retryIndex: retryCount, elapsedMs: nowMs - startedAtMs }
    const decision = decideMutation(settings, input)
    if (!decision.retry) return decision
    // An answer about the key, or one that will not change: there is nothing to try again for.
    if (kind !== 'unknown' || next !== 'wait') {
      return { retry: false, reason: 'not-retryable', failure: decision.failure }
    }
    retryCount++
    return decision
  }
}
