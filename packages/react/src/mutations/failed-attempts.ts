import type { Failure } from '@query-retry/core'
import type { Verdict } from '../contracts/contract.ts'
import { pairDecisions } from '../decision-pair.ts'
import type { Transition } from '../intents/intent-machine.ts'
import type { PresetStopReason } from '../operation.ts'
import { leaveTrace } from './attempt-traces.ts'
import type { AnyMutation } from './idempotent-mutation-options.ts'
import type { Run } from './intent-runs.ts'
import type { GuardSettings } from './mutation-guard.ts'

/**
 * An attempt under a key that failed, with what was decided about it before its error was thrown.
 * TanStack asks with the error alone, so the error leads back to it.
 */
export interface FailedAttempt {
  readonly error: unknown
  readonly retry: boolean
  readonly delayMs?: number
  readonly reason?: PresetStopReason | undefined
  readonly failure?: Failure
  /** 1-based number of the retry that was granted, where it counts. */
  readonly retryNumber?: number
  /** What the answer says of the key. Without one, the attempt was refused before it was sent. */
  readonly verdict?: Verdict
  /** What became of the intent. */
  readonly change?: Transition | undefined
  readonly mutation?: AnyMutation | undefined
  readonly run?: Run | undefined
  readonly settings?: GuardSettings | undefined
  /** By the clock of `settings`. */
  readonly failedAtMs?: number
  /** The person has taken back the retry: it is not sent when its time comes. */
  isCancelled?: boolean
}

/** In the order in which they failed: TanStack asks in that order, also where two throw one object. */
const failed = new Set<FailedAttempt>()

export function rememberFailedAttempt(attempt: FailedAttempt): void {
  failed.add(attempt)
}

export function forgetFailedAttempt(attempt: FailedAttempt): void {
  failed.delete(attempt)
}

/**
 * The guard's answers for mutations under a key, which carry these two in their own options. Were they
 * the client's defaults, a plain mutation that throws the very same error in the same turn (a shared
 * token refresh) could be given a retry that was granted to one with a key.
 */
export const retryUnderKey = pairDecisions((_, error): FailedAttempt => {
  const attempt = [...failed].find(each => Object.is(each.error, error))
  if (attempt) {
    failed.delete(attempt)
    leaveTrace(attempt.mutation, attempt)
  }
  return attempt ?? { error, retry: false }
})
