/**
 * A limit on one attempt was reached before the attempt answered.
 *
 * Whether the request took effect on the server is unknown.
 */
export class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError'
  readonly code = 'ATTEMPT_TIMEOUT'
  /** The limit that was reached, in milliseconds. */
  declare readonly timeoutMs: number

  constructor(timeoutMs: number) {
    super(`No answer within ${timeoutMs} ms`)
    this.timeoutMs = timeoutMs
  }
}

/**
 * The deadline of the whole operation passed while it was waiting, so the next attempt was not sent.
 *
 * `cause` is the error of the last attempt.
 */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError'
  readonly code = 'DEADLINE_EXCEEDED'
  /** The deadline, in milliseconds after the first attempt's start. */
  declare readonly deadlineMs: number
  /** When it was noticed, in milliseconds after the first attempt's start. */
  declare readonly elapsedMs: number

  constructor(deadlineMs: number, elapsedMs: number, cause: unknown) {
    super(`No answer after ${elapsedMs} of ${deadlineMs} ms`, { cause })
    this.deadlineMs = deadlineMs
    this.elapsedMs = elapsedMs
  }
}

/**
 * A circuit breaker refused the call: it was not sent, and the dependency knows nothing of it.
 *
 * It has no `cause`: no single error opened the circuit.
 */
export class CircuitOpenError extends Error {
  override readonly name = 'CircuitOpenError'
  readonly code = 'CIRCUIT_OPEN'
  /**
   * When a probe is due, by the breaker's monotonic clock (`performance.now()` unless it has another). A probe
   * that ends makes room earlier: `CircuitBreaker.subscribe` says so.
   */
  declare readonly nextProbeAtMs: number

  constructor(nextProbeAtMs: number, nowMs: number) {
    super(`Circuit open: a probe is due in ${Math.ceil(nextProbeAtMs - nowMs)} ms`)
    this.nextProbeAtMs = nextProbeAtMs
  }
}

/** An option has a value that is not accepted. Thrown where the option is given. */
export class RetryOptionError extends Error {
  override readonly name = 'RetryOptionError'
  readonly code = 'RETRY_OPTION'
  /** The option's name. */
  declare readonly option: string
  /** The value that was given. */
  declare readonly value: unknown

  /** @param accepted - ends the sentence "capMs must be ..." */
  constructor(option: string, value: unknown, accepted: string) {
    super(`${option} must be ${accepted}, but is ${describeValue(value)}`)
    this.option = option
    this.value = value
  }
}

/** A value in a message. Objects and functions by their type alone: turning them into text may throw, or leak. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`
  if (typeof value === 'function') return 'a function'
  return Object(value) === value ? 'an object' : String(value)
}
