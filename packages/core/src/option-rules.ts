import type { ResolvedBackoff } from './backoff.ts'
import { MAX_TIMER_MS } from './clock.ts'
import { RetryOptionError } from './errors.ts'
import type { ResolvedRetryPolicy } from './retry-policy.ts'

const JITTERS = ['full', 'equal', 'decorrelated', 'none']
const SERVER_WAITS = ['add', 'max']
const ANY_DURATION = 'a number of milliseconds from 0 up, or Infinity'

/** @throws {RetryOptionError} for the first option outside its range */
export function assertBackoffOptions(options: ResolvedBackoff): void {
  const { baseMs, capMs, floorMs, factor, jitter, random } = options
  const longest = `${MAX_TIMER_MS} (the longest timer)`
  assertThat(isBetween(baseMs, Number.MIN_VALUE, MAX_TIMER_MS), 'baseMs', baseMs, [
    `a number of milliseconds above 0 and at most ${longest}`,
  ])
  assertThat(isBetween(floorMs, 0, MAX_TIMER_MS), 'floorMs', floorMs, [
    `a number of milliseconds from 0 to capMs`,
  ])
  assertThat(isBetween(capMs, floorMs, MAX_TIMER_MS), 'capMs', capMs, [
    `a number of milliseconds from floorMs (${floorMs}) to ${longest}`,
  ])
  assertThat(isBetween(factor, 1, Number.MAX_VALUE), 'factor', factor, ['a number of at least 1'])
  assertThat(JITTERS.includes(jitter), 'jitter', jitter, JITTERS)
  assertThat(typeof random === 'function', 'random', random, [
    'a function that returns a number in [0, 1)',
  ])
}

/** @throws {RetryOptionError} for the first option outside its range */
export function assertRetryPolicyOptions(options: ResolvedRetryPolicy): void {
  assertBackoffOptions(options)
  const { maxRetries, deadlineMs, attemptTimeoutMs, minAttemptMs, reserveMs } = options
  const { maxServerWaitMs, serverWait, classify } = options
  assertThat(
    maxRetries === Number.POSITIVE_INFINITY || (Number.isInteger(maxRetries) && maxRetries >= 0),
    'maxRetries',
    maxRetries,
    ['a whole number from 0 up, or Infinity'],
  )
  assertThat(isDuration(deadlineMs) && deadlineMs > 0, 'deadlineMs', deadlineMs, [
    'a number of milliseconds above 0, or Infinity',
  ])
  assertThat(
    attemptTimeoutMs === undefined || isBetween(attemptTimeoutMs, 1, MAX_TIMER_MS),
    'attemptTimeoutMs',
    attemptTimeoutMs,
    [`a number of milliseconds from 1 to ${MAX_TIMER_MS}; leave it out for no limit`],
  )
  assertThat(isBetween(minAttemptMs, 0, deadlineMs), 'minAttemptMs', minAttemptMs, [
    `a number of milliseconds from 0 to deadlineMs (${deadlineMs})`,
  ])
  assertThat(isBetween(reserveMs, 0, deadlineMs), 'reserveMs', reserveMs, [
    `a number of milliseconds from 0 to deadlineMs (${deadlineMs})`,
  ])
  assertThat(isDuration(maxServerWaitMs), 'maxServerWaitMs', maxServerWaitMs, [ANY_DURATION])
  assertThat(SERVER_WAITS.includes(serverWait), 'serverWait', serverWait, SERVER_WAITS)
  assertThat(typeof classify === 'function', 'classify', classify, [
    'a function from an error to a Failure, as classifyFailure is',
  ])
}

function isBetween(value: unknown, low: number, high: number): boolean {
  return typeof value === 'number' && value >= low && value <= high
}

function isDuration(value: unknown): value is number {
  return isBetween(value, 0, Number.POSITIVE_INFINITY)
}

function assertThat(holds: boolean, option: string, value: unknown, accepted: string[]): void {
  if (holds) return
  const listed =
    accepted.length > 1 ? `one of ${accepted.map(a => `"${a}"`).join(', ')}` : accepted[0]
  throw new RetryOptionError(option, value, listed as string)
}
