import {
  type Clock,
  type DecisionInput,
  decide,
  type ResolvedRetryPolicy,
  type RetryPolicy,
} from '@query-retry/core'
import { pairDecisions, type RetryPair } from '../decision-pair.ts'
import { warnAboutMissingKey } from '../development-warnings.ts'
import { unlessDisabled } from '../kill-switch.ts'
import type { PresetDecision } from '../operation.ts'
import { reportThrown } from '../report-thrown.ts'
import type { RetryEventListener } from '../retry-events.ts'
import { type FailedAttempt, takeFailedAttempt } from './failed-attempts.ts'

/** What a preset lends to the attempts that are decided about. */
export interface GuardSettings {
  policy: RetryPolicy
  clock: Clock
  /** False: nothing is retried. */
  isEnabled(): boolean
  onEvent: RetryEventListener
}

const settingsByRetry = new WeakMap<object, GuardSettings>()

/** The settings behind a guard's `retry`, or of the guard that it replaced. */
export function guardSettings(...retries: unknown[]): GuardSettings | undefined {
  return retries.map(retry => settingsByRetry.get(Object(retry))).find(Boolean)
}

/**
 * TanStack's two questions about mutations: what {@link FailedAttempt} says of an attempt that was
 * made under a stable key, and no for every other.
 */
export function createMutationGuard(settings: GuardSettings): RetryPair {
  const pair = pairDecisions(
    (failureCount, error) =>
      takeFailedAttempt(error) ?? refuseWithoutKey(settings, failureCount, error),
    ({ onAsked }) => onAsked?.(),
  )
  settingsByRetry.set(pair.retry, settings)
  return pair
}

/** What the policy says of a failure, unless the preset is switched off. Never throws. */
export function decideMutation(
  { clock, isEnabled, policy }: GuardSettings,
  input: DecisionInput,
  options: ResolvedRetryPolicy = policy.options,
): PresetDecision {
  const decision = decide(options, { ...input, nowEpochMs: clock.epochMs() })
  return unlessDisabled(decision, isEnabled)
}

/** Nothing says that it may be sent twice. */
function refuseWithoutKey(
  settings: GuardSettings,
  failureCount: number,
  error: unknown,
): FailedAttempt {
  const decision = decideMutation(settings, { error, retryIndex: failureCount })
  return {
    error,
    retry: false,
    onAsked() {
      if ('classifyError' in decision) reportThrown(decision.classifyError)
      const { reason } = decision.failure
      const moment = { attempt: failureCount + 1, elapsedMs: 0, reason }
      settings.onEvent({ type: 'attempt-failed', ...moment })
      const stopReason = decision.retry ? 'no-stable-key' : decision.reason
      settings.onEvent({ type: 'gave-up', ...moment, stopReason })
      if (decision.retry) warnAboutMissingKey(error, reason)
    },
  }
}
