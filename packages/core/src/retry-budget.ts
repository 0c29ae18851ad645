import { type Clock, systemStopwatch } from './clock.ts'
import { checkOptions, type OptionRules } from './option-rules.ts'

export interface RetryBudgetOptions {
  /** The most retries that can be saved up, and what a new budget starts with. Default 60; from 0 (no retries) to 1e9. */
  capacity?: number
  /** Retries that come back each second. Default 1; from 0 to 1e9. */
  refillPerSecond?: number
  /** Retries that come back with each success. Default 0.1: ten successes pay for one retry. From 0 to 1e9. */
  depositPerSuccess?: number
  /** Default {@link systemClock}. Only its monotonic time is read. */
  clock?: Pick<Clock, 'nowMs'>
}

const DEFAULT_BUDGET: Required<RetryBudgetOptions> = {
  capacity: 60,
  refillPerSecond: 1,
  depositPerSuccess: 0.1,
  clock: systemStopwatch,
}

const AMOUNT = [0, 1e9] as const
const RULES: OptionRules = {
  capacity: AMOUNT,
  refillPerSecond: AMOUNT,
  depositPerSuccess: AMOUNT,
  clock: 'an object',
}

/** What rounding may have taken from a whole retry: ten deposits of 0.1 add up to 0.9999999999999999. */
const ROUNDING = 1e-6

/**
 * Bounds how many retries its users send together, however many operations fail.
 *
 * `maxRetries` bounds one operation and jitter says when its retries come; neither bounds their sum.
 * While everything fails, 1,000 requests with 4 retries each become 5,000, just when the server can
 * take the least, and three layers that try 3 times each make 27 calls of one. A token bucket bounds
 * the sum whatever the number of operations: over any `t` seconds at most
 * `capacity + t * refillPerSecond + successes * depositPerSuccess` retries. A short hiccup is covered
 * by what is saved up; in a long outage the retries fall to `refillPerSecond`; and while most calls
 * succeed, the deposits let retries grow with the traffic, as a share of it (10 %).
 *
 * What it costs: an operation may end although its own retry would have succeeded. Those who share one
 * budget share that as well, so give each dependency its own.
 *
 * Refill is worked out when it is asked for: no timer runs. Nothing here throws but the constructor.
 *
 * @see tower's `retry::budget` (Finagle's RetryBudget) for time and successes as the two sources; gRPC A6,
 * "Throttling Retry Attempts"; Google, "Site Reliability Engineering", chapter 21, for the share of 10 %
 * @example
 * const budget = new RetryBudget({ capacity: 2, refillPerSecond: 0 })
 * budget.tryWithdraw() // => true
 * budget.tryWithdraw() // => true
 * budget.tryWithdraw() // => false
 * for (let n = 0; n < 10; n++) budget.recordSuccess()
 * budget.tryWithdraw() // => true
 */
export class RetryBudget {
  /** The options with every default filled in. */
  readonly options: Readonly<Required<RetryBudgetOptions>>
  #tokens: number
  #filledAtMs: number

  /** @throws {RetryOptionError} naming the option, its value and the accepted range */
  constructor(options: RetryBudgetOptions = {}) {
    this.options = checkOptions(options, RULES, DEFAULT_BUDGET)
    this.#tokens = this.options.capacity
    this.#filledAtMs = this.options.clock.nowMs()
  }

  /** Retries that can be granted now: from 0 to `capacity`, with the fraction that has come back of the next one. */
  get available(): number {
    return this.#add(0)
  }

  /**
   * Takes one retry, where there is one.
   *
   * @returns false where the budget is exhausted: do not retry. Nothing is taken then.
   */
  tryWithdraw(): boolean {
    const isGranted = this.available >= 1 - ROUNDING
    if (isGranted) this.#add(-1)
    return isGranted
  }

  /**
   * Gives one granted retry back that was never sent (cancelled, unmounted). Once for each such retry: a
   * budget cannot tell which of its retries were sent.
   */
  refund(): void {
    this.#add(1)
  }

  /** Pays `depositPerSuccess` in. For every operation that succeeded, first attempts included. */
  recordSuccess(): void {
    this.#add(this.options.depositPerSuccess)
  }

  /** Adds what time has refilled, then `tokens`, and gives what is there. What finds no room is lost. */
  #add(tokens: number): number {
    const { capacity, refillPerSecond, clock } = this.options
    const nowMs = Math.max(this.#filledAtMs, clock.nowMs())
    const refilled = ((nowMs - this.#filledAtMs) / 1_000) * refillPerSecond
    this.#filledAtMs = nowMs
    this.#tokens = Math.min(capacity, this.#tokens + refilled)
    this.#tokens = Math.min(capacity, Math.max(0, this.#tokens + tokens))
    return this.#tokens
  }
}
