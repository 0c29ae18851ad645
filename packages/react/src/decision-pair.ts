/** TanStack's two questions after a failure. `failureCount` is 0 after the first one. */
export interface RetryPair {
  retry(failureCount: number, error: unknown): boolean
  retryDelay(failureCount: number, error: unknown): number
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
 * @param commit - what follows from a decision, once `retry` hands it to TanStack
 */
export function pairDecisions<A extends Answer>(
  decide: (failureCount: number, error: unknown) => A,
  commit?: (answer: A) => void,
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
    retry(failureCount, error) {
      const answer = ask('retry', failureCount, error)
      commit?.(answer)
      return answer.retry
    },
    retryDelay: (failureCount, error) => ask('retryDelay', failureCount, error).delayMs ?? 0,
  }
}
