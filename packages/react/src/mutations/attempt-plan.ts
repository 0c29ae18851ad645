import { classifyFailure } from '@query-retry/core'
import type { Verdict } from '../contracts/contract.ts'
import type { PresetDecision } from '../operation.ts'
import { decideMutation, type GuardSettings } from './mutation-guard.ts'

/** How long a request that is already under way is waited for, in all. */
export const IN_PROGRESS_MS = 60_000

const RUNNING = { kind: 'http', retryable: true, effect: 'unknown' } as const

/** Decides what follows a failed attempt under a key, and counts what counts. */
export type AttemptPlan = (
  error: unknown,
  verdict: Verdict,
) => PresetDecision & { retryNumber?: number }

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
    const nowMs = settings.clock.nowMs()
    if (kind === 'in-progress') {
      pollingSinceMs ??= nowMs
      // Waits count in full, also where a test does without them.
      const elapsedMs = Math.max(nowMs - pollingSinceMs, waitedMs)
      const input = { error, retryIndex: pollCount++, elapsedMs }
      const poll = decideMutation(settings, input, {
        ...settings.policy.options,
        maxRetries: Infinity,
        deadlineMs: IN_PROGRESS_MS,
        classify: () => ({ ...RUNNING, reason, serverWaitMs: waitMs }),
      })
      if (poll.retry) waitedMs += poll.delayMs
      return poll
    }
    const input = { error, retryIndex: retryCount++, elapsedMs: nowMs - startedAtMs }
    const decision = decideMutation(settings, input)
    // An answer about the key, or one that will not change: there is nothing to try again for.
    return decision.retry && (kind !== 'unknown' || next !== 'wait')
      ? { ...decision, retry: false, reason: 'not-retryable' }
      : { ...decision, retryNumber: retryCount }
  }
}
