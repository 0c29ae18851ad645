import { type Clock, MAX_TIMER_MS, systemStopwatch } from './clock.ts'
import { isDependencyFailure, isTimeout } from './dependency-failure.ts'
import { type AttemptTimeoutError, CircuitOpenError } from './errors.ts'
import { checkOptions, type OptionRules } from './option-rules.ts'
import { drawBetween, type Random } from './random.ts'
import { reportThrown } from './report-thrown.ts'
import { createSamplingWindow, type RecordOutcome } from './sampling-window.ts'

/**
 * - `'closed'`: every call goes through, and its outcome is counted
 * - `'open'`: every call is refused at once
 * - `'half-open'`: a few calls at a time go through, as probes
 */
export type CircuitState = 'closed' | 'open' | 'half-open'

/** Durations are milliseconds. Ratios are shares from 0.001 to 1, and reached where they are equal. */
export interface CircuitBreakerOptions {
  /** How far back a closed circuit counts outcomes, in ten buckets. Default 10,000; from 1 to 2^31 - 1. */
  windowMs?: number
  /**
   * A closed circuit does not open on fewer outcomes in its window, and a half-open one closes before a step of as
   * many. Default 10; a whole number from 1 to 2^31 - 1.
   */
  minimumCalls?: number
  /** The share of failures that opens the circuit. Default 0.5. */
  failureRatio?: number
  /** A call that takes longer is slow, whether it fails or not. Default `Infinity`: none is. From 1. */
  slowCallMs?: number
  /** The share of slow calls that opens the circuit. Default 1. */
  slowCallRatio?: number
  /**
   * The longest time until the first probe; half of it is the shortest. Default 5,000; from 1 to 2^31 - 1. It
   * doubles each time the probes fail, up to `maxOpenMs`, until the circuit has closed.
   */
  openMs?: number
  /** The circuit is never open longer. Default 60,000; from `openMs` to 2^31 - 1. */
  maxOpenMs?: number
  /** Probes at a time in the first step of a half-open circuit. Default 1; a whole number from 1 to 2^31 - 1. */
  halfOpenProbes?: number
  /** A probe that takes longer hangs: its slot is free for another. Default 10,000; from 1 to 2^31 - 1. */
  probeTimeoutMs?: number
  /**
   * Whether what an operation threw is the dependency's failure. Default {@link isDependencyFailure}. Where it
   * is not, the call counts as neither: an error is no success.
   */
  isFailure?: (error: unknown) => boolean
  /** Default {@link systemClock}. Only its monotonic time is read. */
  clock?: Pick<Clock, 'nowMs'>
  /** Source of the jitter in the time the circuit is open. Default `Math.random`. */
  random?: Random
}

/** Called with the state and the one before; the two are the same where a probe ended and another may start. */
export type CircuitListener = (state: CircuitState, previousState: CircuitState) => void

const DEFAULT_BREAKER: Required<CircuitBreakerOptions> = {
  windowMs: 10_000,
  minimumCalls: 10,
  failureRatio: 0.5,
  slowCallMs: Infinity,
  slowCallRatio: 1,
  openMs: 5_000,
  maxOpenMs: 60_000,
  halfOpenProbes: 1,
  probeTimeoutMs: 10_000,
  isFailure: isDependencyFailure,
  clock: systemStopwatch,
  random: () => Math.random(),
}

const DELAY = [1, MAX_TIMER_MS] as const
const COUNT = [1, MAX_TIMER_MS, 'whole '] as const
const RATIO = [0.001, 1] as const
const RULES: OptionRules = {
  windowMs: DELAY,
  minimumCalls: COUNT,
  failureRatio: RATIO,
  slowCallMs: [1, Infinity],
  slowCallRatio: RATIO,
  openMs: DELAY,
  maxOpenMs: ['openMs', MAX_TIMER_MS],
  halfOpenProbes: COUNT,
  probeTimeoutMs: DELAY,
  isFailure: 'a function',
  clock: 'an object',
  random: 'a function',
}

/** The probes that hold a slot, in the order of their start. Each change of state begins a new generation. */
type Generation = Set<Call>

/** A call that was let through. */
interface Call {
  /** The breaker's when it started: its outcome counts where that is the breaker's still. None once it has ended. */
  generation?: Generation
  startedAtMs: number
}

/**
 * Stops calling a dependency that is in trouble, and comes back to it in steps.
 *
 * A retry waits for one failure to pass; a breaker spares the dependency the calls in between, and their
 * callers the wait for an answer that will not come.
 *
 * - **Closed.** Outcomes of the last `windowMs` are counted as they arrive. Among `minimumCalls` or more, a
 *   share of `failureRatio` failed or of `slowCallRatio` slow opens the circuit. A failure is a 5xx, a network
 *   failure or a timeout. A 4xx counts as neither failure nor success, and so does a cancelled call.
 * - **Open.** `run` rejects with {@link CircuitOpenError} and calls nothing. The n-th time in a row lasts
 *   between W / 2 and W = `min(maxOpenMs, openMs * 2 ** (n - 1))`, each as likely: clients whose circuits
 *   opened together must not probe together. No timer runs; the first call after that is a probe.
 * - **Half-open.** The circuit closes in steps. A step lets `halfOpenProbes` calls at a time through and counts
 *   as many outcomes. As soon as failures (or slow calls) are the ratio of that number, the circuit opens
 *   again: at one probe, the first does it. Otherwise the next step is twice as large, and the circuit closes
 *   where that would be `minimumCalls` or more: by default after 1 + 2 + 4 + 8 probes. Its window is empty then.
 *
 * A call counts in the state it started in, or not at all (a generation): the slow success of a call from before
 * the circuit opened does not close it. A cancelled call (`signal`) frees its slot at once, one that hangs
 * does after `probeTimeoutMs`; where that one ends after all and the state has not changed, it counts. A
 * `signal` aborted by a limit on time (`AbortSignal.timeout`, {@link AttemptTimeoutError}) is a failure.
 *
 * It is kept in memory, by one process alone: there is no shared store whose failure could let everything
 * through, and a hundred instances learn of an outage a hundred times. For a store of your own, hand `runWithRetry`
 * a breaker that falls back to one of these: what its `run` rejects with is a failure, and nothing is sent.
 *
 * What it costs: the calls of one tenant, key or region that work are refused together with those that fail, so
 * give each dependency a breaker of its own; two share nothing. And calls that never end count as
 * nothing: limit their time, and they are failures.
 *
 * @see Michael Nygard, "Release It!", for the pattern; Polly v8 and resilience4j for window, minimum and slow
 * calls. Both judge the half-open circuit once and then let everything through; the steps are against the
 * flood of those who have waited.
 * @example
 * const breaker = new CircuitBreaker({ minimumCalls: 2 })
 * const unavailable = () => Promise.reject({ status: 503 })
 * for (let n = 0; n < 2; n++) await breaker.run(unavailable).catch(() => {})
 * breaker.state // => 'open'
 * const refusal = await breaker.run(unavailable).catch(error => error)
 * refusal.code // => 'CIRCUIT_OPEN'
 */
export class CircuitBreaker {
  readonly #options: Required<CircuitBreakerOptions>
  readonly #listeners = new Set<CircuitListener>()
  #state!: CircuitState
  #generation!: Generation
  /** Counts in a closed circuit's window, or in a half-open one's step. */
  #record!: RecordOutcome
  /** How many probes there may be at a time, and how many outcomes make a step. */
  #slots!: number
  /** How often it has opened without closing. */
  #openings!: number
  /** When the open time ends, or ended. */
  #openUntilMs = 0

  /** @throws {RetryOptionError} naming the option, its value and the accepted range */
  constructor(options: CircuitBreakerOptions = {}) {
    this.#options = checkOptions(options, RULES, DEFAULT_BREAKER)
    this.#enter('closed')
  }

  /** An open circuit stays `'open'` until a call comes after {@link nextProbeAtMs}: time alone changes nothing. */
  get state(): CircuitState {
    return this.#state
  }

  /**
   * When the next call will be let through, by the monotonic clock; in the past where one would be now.
   * `undefined` where the circuit is closed.
   *
   * While all slots of a half-open circuit are taken, it is when the oldest probe counts as hung; a probe that
   * ends makes room earlier, and {@link subscribe} says so.
   */
  get nextProbeAtMs(): number | undefined {
    if (this.#state === 'closed') return undefined
    const [oldest] = this.#generation
    return oldest && this.#generation.size >= this.#slots
      ? oldest.startedAtMs + this.#options.probeTimeoutMs
      : this.#openUntilMs
  }

  /**
   * Calls `operation`, where the circuit lets it through, and gives back what it gives.
   *
   * An operation that resolves has succeeded: `fetch` resolves on a 503, so look at `response.ok` and throw.
   *
   * @param options.signal - takes the call back. Aborted before, the operation is not called; later, its slot is
   * free at once and its outcome no longer counts. To end the operation, give it the signal as well.
   * @throws {CircuitOpenError} where the call is not let through; the signal's reason, where it was aborted
   * before; else what the operation throws, untouched
   */
  async run<T>(
    operation: () => Promise<T> | T,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<T> {
    signal?.throwIfAborted()
    const call = this.#admit()
    const onAbort = () => this.#settle(call, isTimeout, signal?.reason)
    signal?.addEventListener('abort', onAbort)
    try {
      const result = await operation()
      this.#settle(call)
      return result
    } catch (error) {
      this.#settle(call, this.#options.isFailure, error)
      throw error
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /**
   * Calls `listener` after each change of state, and while half-open each time a probe ends: another may start
   * then. What a listener throws goes to the console.
   *
   * @returns a function that ends the subscription
   */
  subscribe(listener: CircuitListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #admit(): Call {
    const startedAtMs = this.#options.clock.nowMs()
    const { state, nextProbeAtMs = startedAtMs } = this
    if (startedAtMs < nextProbeAtMs) throw new CircuitOpenError(nextProbeAtMs, startedAtMs)
    if (state === 'open') this.#enter('half-open')
    const [oldest] = this.#generation
    if (oldest && this.#generation.size >= this.#slots) this.#generation.delete(oldest)
    const call: Call = { generation: this.#generation, startedAtMs }
    if (state !== 'closed') this.#generation.add(call)
    if (state === 'open') this.#notify(state)
    return call
  }

  /** @param isFailure - asked about `error`, where the call did not succeed; its no counts as neither */
  #settle(call: Call, isFailure?: (error: unknown) => boolean, error?: unknown): void {
    if (call.generation !== this.#generation) return
    call.generation = undefined
    this.#generation.delete(call)
    const { state } = this
    try {
      if (!isFailure || isFailure(error)) this.#count(call, Boolean(isFailure))
    } catch (thrown) {
      reportThrown(thrown)
    }
    if (state !== 'closed' || this.#state !== state) this.#notify(state)
  }

  #count({ startedAtMs }: Call, isFailed: boolean): void {
    const options = this.#options
    const nowMs = options.clock.nowMs()
    const isSlow = nowMs - startedAtMs > options.slowCallMs
    const { calls, failed, slow } = this.#record(nowMs, isFailed, isSlow)
    const isClosed = this.#state === 'closed'
    const sample = isClosed ? calls : this.#slots
    if (isClosed && calls < options.minimumCalls) return
    if (failed / sample >= options.failureRatio || slow / sample >= options.slowCallRatio)
      this.#enter('open')
    else if (isClosed || calls < sample) return
    else if (sample * 2 < options.minimumCalls) this.#startCounting(sample * 2)
    else this.#enter('closed')
  }

  #enter(state: CircuitState): void {
    const options = this.#options
    if (state === 'open') {
      const longestMs = Math.min(options.maxOpenMs, options.openMs * 2 ** this.#openings++)
      this.#openUntilMs =
        options.clock.nowMs() + drawBetween(longestMs / 2, longestMs, options.random)
    }
    if (state === 'closed') this.#openings = 0
    this.#state = state
    this.#generation = new Set()
    this.#startCounting(options.halfOpenProbes)
  }

  #startCounting(slots: number): void {
    this.#slots = slots
    this.#record = createSamplingWindow(
      this.#state === 'closed' ? this.#options.windowMs : Infinity,
    )
  }

  #notify(previousState: CircuitState): void {
    const state = this.#state
    for (const listener of [...this.#listeners]) {
      try {
        listener(state, previousState)
      } catch (error) {
        reportThrown(error)
      }
    }
  }
}
