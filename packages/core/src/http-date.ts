const RFC_850 = /^(...)\w*day, (..)-(...)-(\d\d) /
const ASCTIME = /^(...) (...) (\d\d) (\S+) (\d{4})$/

/**
 * Reads an HTTP-date in any of its three forms; all of them are UTC.
 *
 * The two obsolete forms are rewritten into the current one, which is what `toUTCString` prints: a
 * date that does not come back letter for letter is none. `Date.parse` alone will not do: it reads
 * the asctime form as local time, and takes `1.5` for a date.
 *
 * @param nowEpochMs - settles the century of the two-digit years of the RFC 850 form
 * @returns Unix milliseconds, or undefined where the text is no HTTP-date. Never throws.
 * @see RFC 9110 §5.6.7
 */
export function parseHttpDate(text: string, nowEpochMs: number): number | undefined {
  const fixdate = text
    .replace(RFC_850, (_, day, date, month, year) => {
      // The standard allows at most 50 years ahead: take the last year up to there that ends in the two digits.
      const latest = new Date(nowEpochMs).getUTCFullYear() + 50
      return `${day}, ${date} ${month} ${latest - ((latest - year) % 100)} `
    })
    .replace(/^(\w+ \w+) {2}/, '$1 0')
    .replace(ASCTIME, '$1, $3 $2 $5 $4 GMT')
  const epochMs = Date.parse(fixdate)
  return epochMs && new Date(epochMs).toUTCString() === fixdate ? epochMs : undefined
}
