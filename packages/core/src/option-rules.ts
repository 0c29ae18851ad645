import { MAX_TIMER_MS } from './clock.ts'
import { describeValue, RetryOptionError } from './errors.ts'

/** A range may start at another option, which has its rule before. */
type NumberRange = readonly [low: number | `${string}Ms`, high: number, kind?: 'whole ']
/** What an option accepts: values as {@link describeValue} writes them with " or " between, or a range. */
export type OptionRule = string | NumberRange
export type OptionRules = Readonly<Record<string, OptionRule>>

const DELAY = [1, MAX_TIMER_MS] as const
const DELAY_OR_NONE = [0, MAX_TIMER_MS] as const

/** What the options of a policy or a backoff accept. A timer waits at most 2^31 - 1 ms. */
export const POLICY_RULES: OptionRules = {
  baseMs: DELAY,
  floorMs: DELAY_OR_NONE,
  capMs: ['floorMs', MAX_TIMER_MS],
  factor: DELAY,
  jitter: '"full" or "equal" or "decorrelated" or "none"',
  random: 'a function',
  maxRetries: [0, Infinity, 'whole '],
  deadlineMs: [1, Infinity],
  attemptTimeoutMs: DELAY,
  minAttemptMs: DELAY_OR_NONE,
  reserveMs: DELAY_OR_NONE,
  maxServerWaitMs: [0, Infinity],
  serverWait: '"add" or "max"',
  classify: 'a function',
}

/**
 * Fills in the defaults and checks every option that has a rule; `undefined` counts as not given.
 *
 * @returns the options that have a rule or a default
 * @throws {RetryOptionError} for the first value that is not accepted, in the order of the rules
 */
export function checkOptions<T extends object>(
  options: object,
  rules: OptionRules,
  defaults = {} as T,
): T {
  const checked = { ...defaults } as Record<string, unknown>
  for (const option in rules) {
    const rule = rules[option] as OptionRule
    const given = (options as Record<string, unknown>)[option]
    if (given !== undefined) checked[option] = given
    const value = checked[option]
    const [from, high, kind = ''] = rule as NumberRange
    // A floor of 0 allows no cap of 0: nothing would be waited.
    const low = (typeof from === 'string' ? checked[from] || 1 : from) as number
    const isAccepted =
      typeof rule === 'string'
        ? rule.split(' or ').includes(describeValue(value))
        : typeof value === 'number' && value >= low && value <= high && !(kind && value % 1)
    const accepted = typeof rule === 'string' ? rule : `a ${kind}number from ${low} to ${high}`
    if (value !== undefined && !isAccepted) throw new RetryOptionError(option, value, accepted)
  }
  return checked as T
}
