// What users of the preset need of core, so that one package is enough.
export {
  AttemptTimeoutError,
  type Classify,
  classifyFailure,
  DeadlineExceededError,
  type Failure,
  RetryOptionError,
} from '@query-retry/core'
export type { AttemptMiddleware, SpreadablePersister } from './attempt-middleware.ts'
export type { RetryQuestion } from './decision-pair.ts'
export type { RetryNoticeLanguage, RetryNoticeMessages } from './notice-messages.ts'
export type { RetryNoticeTarget } from './notice-source.ts'
export type { RetryNoticeState } from './notice-state.ts'
export type { PresetStopReason } from './operation.ts'
export { retry, retryDelay } from './plain-retry.ts'
export type { RetryEvent, RetryEventListener } from './retry-events.ts'
export { RetryNotice, type RetryNoticeProps } from './retry-notice.tsx'
export {
  createRetryPreset,
  type QueryRetryMeta,
  type RetryPreset,
  type RetryPresetOptions,
} from './retry-preset.ts'
export {
  type RetryNoticeResult,
  type UseRetryNoticeOptions,
  useRetryNotice,
} from './use-retry-notice.ts'
