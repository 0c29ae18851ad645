/**
 * One of TanStack's two questions after a failure. `failureCount` is 0 after the first one.
 *
 * TypeScript infers from the last signature. It names no error, so that spreading the function into a
 * query's options leaves the query's own error type what it was.
 */
export interface RetryQuestion<T> {
  (failureCount: number, error: unknown): T
  (failureCount: number): T
}

/** TanStack's two questions after a failure. */
export interface RetryPair {
  readonly retry: RetryQuestion<boolean>
  readonly retryDelay: RetryQuestion<number>
}

/** One answer to both questions. */
interface Answer {
  retry: boolean
  delayMs?: number
}

/**
 * Answers both questions from one decision, asked in either order.
 *
 * TanStack asks them one after the other in the same turn, so remembering the last answer until both
 * questions are through is enough.
 *
 * @param decide - charges nothing
 * @param commit - what follows from a decision, once `retry` hands it to TanStack; has the last word
 */
export function pairDecisions<A extends Answer>(
  decide: (failureCount: number, error: unknown) => A,
  commit: (answer: A) => boolean = answer => answer.retry,
): RetryPair {
  let last:
    | { failureCount: number; error: unknown; question: keyof RetryPair; answer: A }
    | undefined

  const ask = (question: keyof RetryPair, failureCount: number, error: unknown): A => {
    const isSecond =
      last &&
      last.question !== question &&
      last.failureCount === failureCount &&
      Object.is(last.error, error)
    const answer = last && isSecond ? last.answer : decide(failureCount, error)
    last = isSecond ? undefined : { failureCount, error, question, answer }
    return answer
  }

  return {
    retry(failureCount: number, error?: unknown) {
      return commit(ask('retry', failureCount, error))
    },
    retryDelay: (failureCount: number, error?: unknown) =>
      ask('retryDelay', failureCount, error).delayMs ?? 0,
  }
}
