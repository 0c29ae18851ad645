import { type Clock, systemClock } from './clock.ts'
import { attemptLimitMs, timeLeftMs } from './deadline.ts'
import { AttemptTimeoutError, DeadlineExceededError } from './errors.ts'
import { checkOptions } from './option-rules.ts'
import { type ProbeSchedule, probeWaitMs } from './probe-wait.ts'
import type { Random } from './random.ts'
import { readProperty } from './read-shape.ts'
import { reportThrown } from './report-thrown.ts'
import {
  createRetryPolicy,
  type RetryPolicy,
  type RetryPolicyOptions,
  type StopReason,
} from './retry-policy.ts'

/** What an operation is told about the attempt that it makes. */
export interface Attempt {
  /** 1 for the first. */
  attempt: number
  /**
   * Aborts when the caller's signal does and when the attempt's limit is reached. It belongs to the
   * attempt: what shall still be cancellable afterwards (a body that is read later) needs the caller's
   * own signal.
   */
  signal: AbortSignal
  /** The limit of this attempt in milliseconds, where one is set. */
  timeoutMs: number | undefined
  /** What the deadline leaves, less the reserve, in milliseconds: to hand on to the next service. `Infinity` without a deadline. */
  remainingMs: number
}

/** What is asked of a retry budget, of whatever make. What it throws ends the run. */
export interface RunBudget {
  /** Takes what one retry costs. False: there is none left. */
  tryWithdraw(): boolean
  /** Gives back what was taken for a retry that was never sent. */
  refund(): void
  /** Called for each operation that succeeds. */
  recordSuccess(): void
}

/** What is asked of a circuit breaker, of whatever make. */
export interface RunBreaker extends ProbeSchedule {
  /**
   * Calls `operation` and settles as it does, or rejects without calling it, with an error whose `code`
   * is `'CIRCUIT_OPEN'`.
   */
  run<T>(operation: () => Promise<T>, options: { signal?: AbortSignal }): Promise<T>
}

/** Why a run ended: a policy's reasons, or `'no-stable-key'`: it would have been worth a retry, had the operation been repeatable. */
export type RunStopReason = StopReason | 'no-stable-key'

type EventOf<Type extends string> = {
  type: Type
  /** 1-based: the attempt that failed, is to come, started, succeeded or was the last; 0 where none was sent. */
  attempt: number
  /** Milliseconds since the start of the run. */
  elapsedMs: number
  /** The last failure (`http-503`, `network`), or `'cancelled'` before there was any. */
  reason: string
}

/**
 * What happened in a run, for logs and metrics. No payload, header or error message is in it; `reason`
 * is a slug with few values (`http-503`, `network`). A run that succeeds at once has no events, and one
 * that rejects ends with `gave-up`, unless an option was refused. What a budget, a clock or a policy made by hand
 * throws ends a run as `'cancelled'`.
 */
export type RunEvent =
  | EventOf<'attempt-failed'>
  | (EventOf<'retry-scheduled'> & {
      delayMs: number
      /** Waiting for a breaker's probe counts as `'backoff'`. */
      source: 'backoff' | 'server'
    })
  | EventOf<'retry-started'>
  | EventOf<'recovered'>
  | (EventOf<'gave-up'> & {
      stopReason: RunStopReason
      /** What an option threw (`classify`, `random`), where one did. */
      optionError?: unknown
    })

export interface RunOptions {
  /** A policy, or what one is built from. Default `createRetryPolicy()`: four retries within 30 s. */
  policy?: RetryPolicy | RetryPolicyOptions
  /** Bounds the retries of all runs that share it. Default none. */
  budget?: RunBudget
  /** Each attempt goes through it. Default none. */
  breaker?: RunBreaker
  /** Ends the run: the wait at once, and the attempt through its own signal. */
  signal?: AbortSignal
  /** Whether the operation may take effect twice. Default true; false: no retry where a failure's `effect` is `'unknown'`. */
  isRepeatable?: boolean
  /** Default {@link systemClock}. */
  clock?: Clock
  /** Source of the draws of a policy given as options; a built policy has its own. Default `Math.random`. */
  random?: Random
  /** What it throws is reported to the console and disturbs nobody. */
  onEvent?: (event: RunEvent) => void
}

const RULES = {
  operation: 'a function',
  random: 'a function',
  onEvent: 'a function',
  policy: 'an object',
  budget: 'an object',
  breaker: 'an object',
  signal: 'an object',
  clock: 'an object',
  isRepeatable: 'true or false',
}

/**
 * Runs an operation and, while it fails in a way that another attempt may mend, runs it again: as often,
 * as late and as long as the policy says.
 *
 * The deadline counts from the call. It is checked before each wait and after it, and stops waits and
 * new attempts; only `attemptTimeoutMs` cuts an attempt short. An open breaker is waited for, where its
 * probe fits the deadline, and costs no retry; those who wait come back spread out over as long again. A retry
 * that the budget granted and that is never sent is given back.
 *
 * @returns what the operation returns
 * @throws the operation's own last error, untouched, once there are no more attempts
 * @throws the caller's abort reason, at once, whatever the attempt does about it
 * @throws {AttemptTimeoutError} as an attempt's error: its limit was reached, even where it ignores its signal
 * @throws {DeadlineExceededError} where the wait ended too late for an attempt; `cause` is the last error
 * @throws the breaker's own error, where it never let an attempt through
 * @throws {RetryOptionError} naming the option, its value and what is accepted; nothing was sent
 * @example
 * const clock = manualClock()
 * const answer = runWithRetry(
 *   async ({ attempt }) => {
 *     if (attempt < 3) throw { status: 503 }
 *     return `answered attempt ${attempt}`
 *   },
 *   { policy: { maxRetries: 4, deadlineMs: 10_000 }, clock },
 * )
 * await clock.advance(10_000)
 * await answer // => 'answered attempt 3'
 * @example
 * // An order without a key: what may have happened is not sent again.
 * let sent = 0
 * const order = () => {
 *   sent++
 *   throw { status: 504 }
 * }
 * await runWithRetry(order, { isRepeatable: false }).catch(error => error) // => { status: 504 }
 * sent // => 1
 */
export async function runWithRetry<T>(
  operation: (attempt: Attempt) => Promise<T> | T,
  runOptions: RunOptions = {},
): Promise<T> {
  checkOptions({ operation, ...runOptions }, RULES)
  const {
    policy: given = {},
    budget,
    breaker,
    signal,
    isRepeatable = true,
    clock = systemClock,
    onEvent,
  } = runOptions
  const policy =
    'decide' in given
      ? given
      : createRetryPolicy({ ...given, random: runOptions.random ?? given.random })
  const { options } = policy

  const startedAtMs = clock.nowMs()
  const elapsedMs = () => clock.nowMs() - startedAtMs
  let attempt = 0
  let retryIndex = 0
  let previousDelayMs: number | undefined
  /** The next attempt may be sent and is not yet: a retry is paid for, and its token goes back where it never is. */
  let isDue = true
  /** What the run waits or ends for: the last failure, or the lack of any. */
  let reason: string = 'cancelled'
  let lastError: unknown
  let stopReason: RunStopReason = 'cancelled'
  let optionError: unknown

  /** Asynchronous for the sake of a listener that rejects: nobody waits for it. */
  async function emit(type: RunEvent['type'], details?: Partial<RunEvent>): Promise<void> {
    try {
      await onEvent?.({
        type,
        attempt,
        elapsedMs: elapsedMs(),
        reason,
        ...details,
      } as RunEvent)
    } catch (error) {
      reportThrown(error)
    }
  }

  /** Makes one attempt, and cuts it where its limit is reached or the caller's signal aborts. */
  function send(): Promise<T> {
    /** What the operation is given. It outlives the attempt: a body may be read later. */
    const own = new AbortController()
    /** Ends the timer of the limit. */
    const settled = new AbortController()
    const onAbort = () => own.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort)
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted()
      isDue = false
      if (attempt++) emit('retry-started')
      const remainingMs = timeLeftMs(options, elapsedMs())
      const timeoutMs = attemptLimitMs(options, remainingMs)
      own.signal.addEventListener('abort', () => reject(own.signal.reason))
      if (timeoutMs) {
        clock.sleep(timeoutMs, settled.signal).then(
          () => own.abort(new AttemptTimeoutError(timeoutMs)),
          () => {},
        )
      }
      // Not `resolve(...)`: a promise that follows another cannot be rejected any more.
      Promise.resolve(operation({ attempt, signal: own.signal, timeoutMs, remainingMs })).then(
        resolve,
        reject,
      )
    }).finally(() => {
      signal?.removeEventListener('abort', onAbort)
      // With a reason: without one each would make an error with a stack.
      settled.abort(0)
    })
  }

  /** Waits for the next attempt, or throws what the run ends with. */
  async function waitAfter(error: unknown): Promise<void> {
    signal?.throwIfAborted()
    // Still due: the breaker threw before it called. An operation's own CIRCUIT_OPEN is a failure like any other.
    const isRefused = isDue && readProperty(error, 'code') === 'CIRCUIT_OPEN'
    const decision = policy.decide({
      error,
      isRefused,
      retryIndex,
      elapsedMs: elapsedMs(),
      previousDelayMs,
      nowEpochMs: clock.epochMs(),
      probeWaitMs: probeWaitMs(breaker, clock.nowMs()),
    })
    // A refused retry hides no failure: that is what the run still waits for.
    if (!isRefused || !retryIndex) {
      lastError = error
      reason = decision.failure.reason
    }
    if (!isRefused) {
      retryIndex++
      emit('attempt-failed')
    }
    if (!decision.retry) {
      stopReason = decision.reason
      optionError = decision.classifyError
      if (optionError) reportThrown(optionError)
      // Not `=== 'unknown'`: a `classify` of the caller's may leave the effect out.
    } else if (!isRepeatable && !/none|rejected/.test(decision.failure.effect)) {
      stopReason = 'no-stable-key'
    } else {
      // What the breaker refused is paid for already.
      isDue ||= !budget || budget.tryWithdraw()
      if (!isDue) stopReason = 'budget-exhausted'
      else {
        const { delayMs, source } = decision
        if (!isRefused) previousDelayMs = decision.drawMs
        emit('retry-scheduled', { attempt: attempt + 1, delayMs, source })
        await clock.sleep(delayMs, signal)
        signal?.throwIfAborted()
        const elapsed = elapsedMs()
        // Not `>=`: a policy made by hand may say nothing of time.
        if (!(timeLeftMs(options, elapsed) < options.minAttemptMs)) return
        stopReason = 'deadline'
        lastError = new DeadlineExceededError(options.deadlineMs, elapsed, lastError)
      }
    }
    throw lastError
  }

  let answer!: T
  try {
    for (;;) {
      try {
        answer = await (breaker ? breaker.run(send, { signal }) : send())
        break
      } catch (error) {
        await waitAfter(error)
      }
    }
  } catch (error) {
    if (isDue && attempt) budget?.refund()
    emit('gave-up', { stopReason, optionError })
    throw error
  }
  budget?.recordSuccess()
  if (retryIndex) emit('recovered')
  return answer
}
