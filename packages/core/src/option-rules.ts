import { MAX_TIMER_MS } from './clock.ts'
import { describeValue, RetryOptionError } from './errors.ts'

/** What an option accepts: values as {@link describeValue} writes them with " or " between, or a range. */
export type OptionRule = string | readonly [low: number, high: number, kind?: 'whole ']
export type OptionRules = Readonly<Record<string, OptionRule>>

/** What the options of a policy or a backoff accept; the floor bounds the cap. A timer waits at most 2^31 - 1 ms. */
export function policyRules({ floorMs }: { floorMs: number }): OptionRules {
  const delay = [1, MAX_TIMER_MS] as const
  const delayOrNone = [0, MAX_TIMER_MS] as const
  return {
    baseMs: delay,
    floorMs: delayOrNone,
    capMs: [floorMs || 1, MAX_TIMER_MS],
    factor: delay,
    jitter: '"full" or "equal" or "decorrelated" or "none"',
    random: 'a function',
    maxRetries: [0, Infinity, 'whole '],
    deadlineMs: [1, Infinity],
    attemptTimeoutMs: delay,
    minAttemptMs: delayOrNone,
    reserveMs: delayOrNone,
    maxServerWaitMs: [0, Infinity],
    serverWait: '"add" or "max"',
    classify: 'a function',
  }
}

/**
 * Checks every option that has a rule; `undefined` counts as not given.
 *
 * @throws {RetryOptionError} for the first value that is not accepted, in the order of the rules
 */
export function assertOptions(options: object, rules: OptionRules): void {
  for (const [option, rule] of Object.entries(rules)) {
    const value = (options as Record<string, unknown>)[option]
    if (value === undefined) continue
    let accepted = rule
    let isAccepted: boolean
    if (typeof rule === 'string') {
      isAccepted = rule.split(' or ').includes(describeValue(value))
    } else {
      const [low, high, kind = ''] = rule
      isAccepted =
        typeof value === 'number' && value >= low && value <= high && !(kind && value % 1)
      accepted = `a ${kind}number from ${low} to ${high}`
    }
    if (!isAccepted) throw new RetryOptionError(option, value, accepted as string)
  }
}
