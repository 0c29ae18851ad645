import { RetryOptionError } from '@query-retry/core'

/**
 * Checks a duration that a function given as an option has drawn.
 *
 * @throws {RetryOptionError} naming the option: an instant that is no number would stop the virtual clock
 */
export function drawn(option: string, valueMs: number): number {
  if (valueMs >= 0 && valueMs < Infinity) return valueMs
  throw new RetryOptionError(option, valueMs, 'a function that gives a finite number from 0')
}
