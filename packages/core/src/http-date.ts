/**
 * Reads an HTTP-date in any of its three forms; all of them are UTC.
 *
 * The two obsolete forms are rewritten into the current one, which is what `toUTCString` prints: a
 * date that does not come back letter for letter is none. `Date.parse` alone will not do: it reads
 * the asctime form as local time, and takes `1.5` for a date.
 *
 * The day of the week settles the century that the RFC 850 form leaves open: of 1994 and 2094, one alone has a
 * Sunday on 6 November. The standard's own rule (at most 50 years ahead) needs a now, and clients' clocks are
 * wrong. A wrong day gives no date, or one of another century.
 *
 * @returns Unix milliseconds, or NaN where the text is no HTTP-date. Never throws.
 * @see RFC 9110 §5.6.7
 */
export function parseHttpDate(text: string): number {
  for (const century of text && [20, 19]) {
    const fixdate = text
      .replace(/^(...)\w*day, (..)-(...)-(?=.. )/, `$1, $2 $3 ${century}`)
      .replace(/^(.{7}) {2}/, '$1 0')
      .replace(/^(...) (...) (..) (\S+) (\d{4})$/, '$1, $3 $2 $5 $4 GMT')
    const epochMs = Date.parse(fixdate)
    if (new Date(epochMs).toUTCString() === fixdate) return epochMs
  }
  return NaN
}
