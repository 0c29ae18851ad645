// What users of the preset need of core, so that one package is enough.
export {
  AttemptTimeoutError,
  CircuitBreaker,
  type CircuitBreakerOptions,
  CircuitOpenError,
  type CircuitState,
  type Classify,
  classifyFailure,
  DeadlineExceededError,
  type Failure,
  formatPolicy,
  type PolicyDescription,
  RetryBudget,
  type RetryBudgetOptions,
  RetryOptionError,
} from '@query-retry/core'
export type { AttemptMiddleware, SpreadablePersister } from './attempt-middleware.ts'
export type { Answer } from './contracts/answer.ts'
export {
  type Contract,
  type ContractRules,
  createContract,
  type Verdict,
  verdictByStatus,
} from './contracts/contract.ts'
export { type IetfDraftOptions, ietfDraft } from './contracts/ietf-draft.ts'
export { type StripeOptions, stripe } from './contracts/stripe.ts'
export { type TossPaymentsOptions, tossPayments } from './contracts/toss-payments.ts'
export type { RetryQuestion } from './decision-pair.ts'
export {
  describePreset,
  type MutationFacts,
  type OperationFacts,
  type PresetFacts,
  type PresetPages,
  type QueryFacts,
} from './describe-preset.ts'
export {
  createDefaultJournal,
  type DefaultJournalOptions,
  type JournalPolicy,
} from './intents/default-journal.ts'
export { IntentError, type IntentErrorCode } from './intents/intent-error.ts'
export type { KeyFinding, VerdictKind } from './intents/intent-event.ts'
export type { RefusalReason } from './intents/intent-machine.ts'
export type {
  IntentRecord,
  IntentState,
  IntentSubject,
} from './intents/intent-record.ts'
export { clearJournal, type Journal, type JournalChange } from './intents/journal.ts'
export { createMemoryJournal } from './intents/memory-journal.ts'
export {
  type IdempotentMutationContext,
  type IdempotentMutationOptions,
  idempotentMutationOptions,
} from './mutations/idempotent-mutation-options.ts'
export type { Principal } from './mutations/intent-names.ts'
export type { IntentView } from './mutations/intent-view.ts'
export { type AskAboutKey, type KeyAnswer, readKeyAnswer } from './mutations/key-answer.ts'
export { defaultJournal } from './mutations/shared-journal.ts'
export {
  type UseIdempotentMutationOptions,
  type UseIdempotentMutationResult,
  useIdempotentMutation,
} from './mutations/use-idempotent-mutation.ts'
export type { InnerRetries, NestedRetries } from './nested-retries.ts'
export type { RetryNoticeLanguage, RetryNoticeMessages } from './notice-messages.ts'
export type { RetryNoticeTarget } from './notice-source.ts'
export type { RetryNoticeState } from './notice-state.ts'
export type { PresetStopReason } from './operation.ts'
export { retry, retryDelay } from './plain-retry.ts'
export type { QueryOption } from './query-option.ts'
export { refetchUnlessTerminal } from './refetch-unless-terminal.ts'
export { type RetryAwareIntervalOptions, retryAwareInterval } from './retry-aware-interval.ts'
export type { RetryEvent, RetryEventListener } from './retry-events.ts'
export { RetryNotice, type RetryNoticeProps } from './retry-notice.tsx'
export {
  createRetryPreset,
  type PresetDescription,
  type QueryRetryMeta,
  type RetryPreset,
  type RetryPresetOptions,
} from './retry-preset.ts'
export type { ScopedOperation } from './scopes.ts'
export {
  type RetryNoticeResult,
  type UseRetryNoticeOptions,
  useRetryNotice,
} from './use-retry-notice.ts'
