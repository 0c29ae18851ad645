import { AttemptTimeoutError } from '@query-retry/core'
import type { AttemptTimer } from './attempt-timer.ts'

/**
 * Runs one attempt under a limit. When it is reached the attempt's signal aborts, and the attempt
 * ends in an {@link AttemptTimeoutError} even where it ignores the signal.
 *
 * TanStack's signal is a getter, and reading it changes what unmounting does: so it is read when, and
 * only when, the query function reads ours.
 *
 * @param run - the attempt, with a context whose `signal` joins TanStack's own and the limit
 */
export function limitAttempt<T, C extends { signal: AbortSignal }>(
  run: (context: C) => T | Promise<T>,
  context: C,
  limitMs: number,
  timer: AttemptTimer,
): Promise<T> {
  const limit = new AbortController()
  const own: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(context)
  // Newer versions of TanStack keep the signal under a symbol as well, and `streamedQuery` reads that one.
  for (const key of ['signal', ...Object.getOwnPropertySymbols(own)]) {
    own[key] = {
      enumerable: true,
      get() {
        const outer = (context as never)[key] as AbortSignal
        const abort = () => limit.abort(outer.reason)
        if (outer.aborted) abort()
        // Stays after the attempt: what it left running ends with the query.
        else outer.addEventListener('abort', abort)
        return limit.signal
      },
    }
  }
  return new Promise<T>((resolve, reject) => {
    const stopTimer = timer(limitMs, () => {
      const timeout = new AttemptTimeoutError(limitMs)
      reject(timeout)
      limit.abort(timeout)
    })
    const attempt = new Promise<T>(start => start(run(Object.create(null, own))))
    attempt.then(resolve, reject).finally(stopTimer)
  })
}
