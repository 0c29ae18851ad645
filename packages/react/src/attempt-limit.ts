import { AttemptTimeoutError } from '@query-retry/core'
import type { QueryFunctionContext } from '@tanstack/react-query'
import type { AttemptTimer } from './attempt-timer.ts'

/**
 * Runs one attempt under a limit. When it is reached the attempt's signal aborts, and the attempt
 * ends in an {@link AttemptTimeoutError} even where it ignores the signal.
 *
 * @param run - the attempt, with a context whose `signal` joins TanStack's own and the limit
 */
export function limitAttempt<T, C extends QueryFunctionContext>(
  run: (context: C) => T | Promise<T>,
  context: C,
  limitMs: number,
  timer: AttemptTimer,
): Promise<T> {
  const controller = new AbortController()
  return new Promise<T>((resolve, reject) => {
    const stopTimer = timer(limitMs, () => {
      const error = new AttemptTimeoutError(limitMs)
      reject(error)
      controller.abort(error)
    })
    const attempt = new Promise<T>(start => start(run(withJoinedSignal(context, controller))))
    attempt.finally(stopTimer).then(resolve, reject)
  })
}

/**
 * The same context with a signal of its own. TanStack's signal is a getter, and reading it changes
 * what unmounting does: so it is read when, and only when, the query function reads ours.
 */
function withJoinedSignal<C extends QueryFunctionContext>(
  context: C,
  controller: AbortController,
): C {
  let isJoined = false
  return Object.create(null, {
    ...Object.getOwnPropertyDescriptors(context),
    signal: {
      enumerable: true,
      get() {
        if (!isJoined) {
          isJoined = true
          const outer = context.signal
          const abort = () => controller.abort(outer.reason)
          if (outer.aborted) abort()
          else outer.addEventListener('abort', abort)
        }
        return controller.signal
      },
    },
  })
}
