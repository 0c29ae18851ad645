import {
  type Clock,
  type DecisionInput,
  decide,
  type ResolvedRetryPolicy,
  type RetryPolicy,
} from '@query-retry/core'
import type { RetryPair } from '../decision-pair.ts'
import { warnAboutMissingKey } from '../development-warnings.ts'
import { unlessDisabled } from '../kill-switch.ts'
import type { PresetDecision } from '../operation.ts'
import { reportThrown } from '../report-thrown.ts'
import type { RetryEventListener } from '../retry-events.ts'
import type { Scope, ScopedOperation } from '../scopes.ts'

/** What a preset lends to the attempts that are decided about. */
export interface GuardSettings {
  policy: RetryPolicy
  scopeFor(operation: ScopedOperation): Scope
  clock: Clock
  /** False: nothing is retried. */
  isEnabled(): boolean
  onEvent: RetryEventListener
  /** For tests: what was decided, without the waits. */
  isInstant?: boolean
}

const settingsByRetry = new WeakMap<object, GuardSettings>()

/** The settings behind the first `retry` that is a guard's. */
export function guardSettings(...retries: unknown[]): GuardSettings | undefined {
  return retries.map(retry => settingsByRetry.get(Object(retry))).find(Boolean)
}

/**
 * TanStack's two questions about a mutation that brings no answers of its own, as one under a key does:
 * no, since nothing says that it may be sent twice. Its `retry` leads mutations under a key to the
 * preset's settings.
 */
export function createMutationGuard(settings: GuardSettings): RetryPair {
  function retry(failureCount: number, error?: unknown): boolean {
    const decision = decideMutation(settings, { error, retryIndex: failureCount })
    if ('classifyError' in decision) reportThrown(decision.classifyError)
    const { reason } = decision.failure
    const moment = { attempt: failureCount + 1, elapsedMs: 0, reason }
    settings.onEvent({ type: 'attempt-failed', ...moment })
    const stopReason = decision.retry ? 'no-stable-key' : decision.reason
    settings.onEvent({ type: 'gave-up', ...moment, stopReason })
    if (decision.retry) warnAboutMissingKey(error, reason)
    return false
  }
  settingsByRetry.set(retry, settings)
  // For a mutation that has a `retry` of its own, and no delay: TanStack's.
  return { retry, retryDelay: failureCount => Math.min(1_000 * 2 ** failureCount, 30_000) }
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
