import type { FailedAttempt } from './failed-attempts.ts'
import type { AnyMutation } from './idempotent-mutation-options.ts'
import type { Run } from './intent-runs.ts'

/** What there is to know of a mutation under a key: its latest failed attempt, or the run that it has joined. */
export type AttemptTrace = FailedAttempt | { run: Run; error?: undefined; retry?: undefined }

const traces = new WeakMap<object, AttemptTrace>()

/** Keeps it for whoever shows it. */
export function leaveTrace(mutation: AnyMutation | undefined, trace: AttemptTrace): void {
  traces.set(Object(mutation), trace)
}

export function traceOf(mutation: AnyMutation): AttemptTrace | undefined {
  return traces.get(mutation)
}
