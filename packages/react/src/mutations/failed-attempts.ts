/**
 * An attempt of a mutation that failed, with what was decided about it before its error was thrown.
 * TanStack asks with the error alone, so the error leads back to it.
 */
export interface FailedAttempt {
  readonly error: unknown
  readonly retry: boolean
  readonly delayMs?: number
  /** What follows once TanStack's `retry` has asked for the decision. */
  onAsked?(): void
}

/** In the order in which they failed: TanStack asks in that order, also where two throw one object. */
const failed = new Set<FailedAttempt>()

export function rememberFailedAttempt(attempt: FailedAttempt): void {
  failed.add(attempt)
}

export function takeFailedAttempt(error: unknown): FailedAttempt | undefined {
  for (const attempt of failed) {
    if (Object.is(attempt.error, error)) {
      failed.delete(attempt)
      return attempt
    }
  }
  return undefined
}

export function forgetFailedAttempt(attempt: FailedAttempt): void {
  failed.delete(attempt)
}
