export {
  type Backoff,
  type BackoffOptions,
  createBackoff,
  type Jitter,
  type ResolvedBackoff,
} from './backoff.ts'
export {
  CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitListener,
  type CircuitState,
} from './circuit-breaker.ts'
export {
  type Classify,
  type ClassifyOptions,
  classifyFailure,
  RETRYABLE_STATUSES,
} from './classify-failure.ts'
export { type Clock, systemClock } from './clock.ts'
export { attemptLimitMs, canAttemptAfter, type DeadlineOptions, timeLeftMs } from './deadline.ts'
export { isDependencyFailure } from './dependency-failure.ts'
export {
  AttemptTimeoutError,
  CircuitOpenError,
  DeadlineExceededError,
  RetryOptionError,
} from './errors.ts'
export type { Failure } from './failure.ts'
export { readHeader } from './headers.ts'
export { checkOptions, type OptionRule, type OptionRules } from './option-rules.ts'
export {
  describePolicy,
  type PolicyDescription,
  type PolicyFacts,
  type RetryLayer,
} from './policy-page/describe-policy.ts'
export { formatDuration, formatEstimate } from './policy-page/format-duration.ts'
export { formatPolicy } from './policy-page/format-policy.ts'
export type { PolicyRow } from './policy-page/policy-rows.ts'
export type { PolicyWarning } from './policy-page/policy-warnings.ts'
export type { RetriedFailures } from './policy-page/retried-failures.ts'
export type { RetryWait } from './policy-page/retry-waits.ts'
export { type ProbeSchedule, probeWaitMs } from './probe-wait.ts'
export type { Random } from './random.ts'
export { parseRetryAfter, readServerWait } from './retry-after.ts'
export { RetryBudget, type RetryBudgetOptions } from './retry-budget.ts'
export {
  createRetryPolicy,
  DEFAULT_RETRY_POLICY,
  type DecisionInput,
  decide,
  type ResolvedRetryPolicy,
  type RetryDecision,
  type RetryPolicy,
  type RetryPolicyOptions,
  type StopReason,
} from './retry-policy.ts'
export {
  type Attempt,
  type RunBreaker,
  type RunBudget,
  type RunEvent,
  type RunOptions,
  type RunStopReason,
  runWithRetry,
} from './run-with-retry.ts'
