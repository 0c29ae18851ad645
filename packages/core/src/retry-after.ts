import { readHeader } from './headers.ts'
import { parseHttpDate } from './http-date.ts'

/**
 * How long the server asks us to wait.
 *
 * Read strictly: what is not exactly one of the two forms of the standard is absent. A lenient
 * reader turns `-3` or `1.5x` into "at once", and thousands of clients with it.
 *
 * @param value - raw `Retry-After`: delay-seconds (decimal digits) or an HTTP-date
 * @param nowEpochMs - wall clock, Unix milliseconds; the response's own `Date` where there is one.
 *   Default `Date.now()`
 * @returns milliseconds >= 0, at most `Number.MAX_SAFE_INTEGER`, or undefined where absent or
 *   malformed; a past date gives 0. Never throws.
 * @see RFC 9110 §10.2.3 (field) and §5.6.7 (HTTP-date)
 * @example
 * parseRetryAfter('120') // => 120000
 * parseRetryAfter('Wed, 21 Oct 2015 07:28:00 GMT', Date.UTC(2015, 9, 21, 7, 27)) // => 60000
 * parseRetryAfter('soon') // => undefined
 */
export function parseRetryAfter(
  value: string | null | undefined,
  nowEpochMs?: number,
): number | undefined {
  return readWait(typeof value === 'string' ? value.trim() : '', 1_000, nowEpochMs)
}

/**
 * How long a response asks us to wait: `retry-after-ms` (milliseconds) or else `Retry-After`.
 *
 * A date is measured against the response's own `Date`, because clients' clocks are wrong by hours.
 * A browser shows neither header to a cross-origin page unless the server lists both in
 * `Access-Control-Expose-Headers`.
 *
 * @param headers - `Headers`, a `Map`, an object of strings or string arrays, or pairs; any case
 * @param nowEpochMs - wall clock for a response without `Date`. Default `Date.now()`
 * @returns milliseconds >= 0, or undefined where absent or malformed. Never throws.
 * @example readServerWait({ 'Retry-After': '2' }) // => 2000
 */
export function readServerWait(headers: unknown, nowEpochMs?: number): number | undefined {
  const serverNowMs = parseHttpDate(readHeader(headers, 'date'))
  return (
    // A date is no number of milliseconds, and without a now it is none.
    readWait(readHeader(headers, 'retry-after-ms'), 1, NaN) ??
    readWait(readHeader(headers, 'retry-after'), 1_000, serverNowMs || nowEpochMs)
  )
}

/** A number of units in decimal digits and nothing else, or an HTTP-date. However large, it stays a number that can be added to. */
function readWait(
  text: string,
  unitMs: number,
  nowEpochMs: number = Date.now(),
): number | undefined {
  const waitMs = /^\d+$/.test(text) ? Number(text) * unitMs : parseHttpDate(text) - nowEpochMs
  return waitMs >= 0 ? Math.min(waitMs, 2 ** 53 - 1) : waitMs < 0 ? 0 : undefined
}
