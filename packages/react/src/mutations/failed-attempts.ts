import { pairDecisions } from '../decision-pair.ts'

/**
 * An attempt under a key that failed, with what was decided about it before its error was thrown.
 * TanStack asks with the error alone, so the error leads back to it.
 */
export interface FailedAttempt {
  readonly error: unknown
  readonly retry: boolean
  readonly delayMs?: number
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
  if (attempt) failed.delete(attempt)
  return attempt ?? { error, retry: false }
})
