import { AttemptTimeoutError } from '@query-retry/core'
import type { QueryFunctionContext } from '@tanstack/react-query'
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
export function limitAttempt<T, C extends QueryFunctionContext>(
  run: (context: C) => T | Promise<T>,
  context: C,
  limitMs: number,
  timer: AttemptTimer,
): Promise<T> {
  let controller: AbortController | undefined
  let timeout: AttemptTimeoutError | undefined

  function joinSignals(): AbortSignal {
    if (!controller) {
      const joined = new AbortController()
      const outer = context.signal
      const abort = () => joined.abort(timeout ?? outer.reason)
      if (timeout || outer.aborted) abort()
      else outer.addEventListener('abort', abort)
      controller = joined
    }
    return controller.signal
  }

  return new Promise((resolve, reject) => {
    const stopTimer = timer(limitMs, () => {
      timeout = new AttemptTimeoutError(limitMs)
      reject(timeout)
      controller?.abort(timeout)
    })
    const limited = Object.create(null, {
      ...Object.getOwnPropertyDescriptors(context),
      signal: { enumerable: true, get: joinSignals },
    })
    new Promise<T>(start => start(run(limited))).then(resolve, reject).finally(stopTimer)
  })
}
