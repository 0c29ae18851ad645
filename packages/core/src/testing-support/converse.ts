import type { RetryPolicyOptions } from '../retry-policy.ts'
import { type Attempt, type RunEvent, type RunOptions, runWithRetry } from '../run-with-retry.ts'
import { manualClock } from '../testing/index.ts'

/** Runs on a manual clock until nothing moves any more, and says what became of it. */
export async function converse(
  operation: (attempt: Attempt, clock: ReturnType<typeof manualClock>) => unknown,
  options: RunOptions & { abortAtMs?: number; abortReason?: unknown } = {},
) {
  const { abortAtMs, abortReason, ...runOptions } = options
  const clock = manualClock()
  const controller = new AbortController()
  const startsMs: number[] = []
  const events: RunEvent[] = []
  const run = (attempt: Attempt) => {
    startsMs.push(clock.nowMs())
    return operation(attempt, clock)
  }
  const ended = runWithRetry(run, {
    clock,
    signal: controller.signal,
    onEvent: event => events.push(event),
    ...runOptions,
  }).then(
    value => ({ value, endsAtMs: clock.nowMs() }),
    error => ({ error, endsAtMs: clock.nowMs() }),
  )
  if (abortAtMs !== undefined) {
    await clock.advance(abortAtMs)
    controller.abort(abortReason)
  }
  await clock.advance(2 ** 31)
  const ending: { value?: unknown; error?: unknown; endsAtMs: number } = await ended
  const last = events.at(-1)
  const because = last?.type === 'gave-up' ? last.stopReason : 'success'
  return { ...ending, because, startsMs, attempts: startsMs.length, events, clock }
}

/** Throws what it is given, undefined included; a 503 where it is given nothing. */
export const failing =
  (...given: [error?: unknown]) =>
  () => {
    throw given.length > 0 ? given[0] : { status: 503 }
  }
export const THEN = 'then'
export const thenable = (then: unknown, target = {}) => Object.assign(target, { [THEN]: then })
export const hang = () => new Promise(() => {})
/** Waits of 100 ms each, so that instants can be said. */
export const STEADY: RetryPolicyOptions = { jitter: 'none', baseMs: 100, factor: 1, floorMs: 0 }
