/**
 * A limit on one attempt was reached before the attempt answered.
 *
 * Whether the request took effect on the server is unknown.
 */
export class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError'
  readonly code = 'ATTEMPT_TIMEOUT'
  /** The limit that was reached, in milliseconds. */
  readonly timeoutMs: number

  constructor(timeoutMs: number) {
    super(`The attempt did not answer within ${timeoutMs} ms.`)
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
  readonly deadlineMs: number
  /** When it was noticed, in milliseconds after the first attempt's start. */
  readonly elapsedMs: number

  constructor(deadlineMs: number, elapsedMs: number, cause: unknown) {
    super(
      `No time is left for another attempt: ${Math.round(elapsedMs)} of ${deadlineMs} ms are over.`,
      {
        cause,
      },
    )
    this.deadlineMs = deadlineMs
    this.elapsedMs = elapsedMs
  }
}

/** An option has a value outside its accepted range. Thrown where the option is given. */
export class RetryOptionError extends RangeError {
  override readonly name = 'RetryOptionError'
  readonly code = 'RETRY_OPTION'
  /** The option's name. */
  readonly option: string
  /** The value that was given. */
  readonly value: unknown

  constructor(option: string, value: unknown, accepted: string) {
    super(`${option} must be ${accepted}, but is ${describeValue(value)}.`)
    this.option = option
    this.value = value
  }
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'an array' : 'an object'
  return String(value)
}
