const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec'
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const MONTH = `(${MONTHS.match(/.../g)?.join('|')})`
const TIME = '(\\d\\d):(\\d\\d):(\\d\\d)'

const IMF_FIXDATE = new RegExp(`^${DAY}, (\\d\\d) ${MONTH} (\\d{4}) ${TIME} GMT$`)
const RFC_850 = new RegExp(`^${LONG_DAY}, (\\d\\d)-${MONTH}-(\\d\\d) ${TIME} GMT$`)
const ASCTIME = new RegExp(`^${DAY} ${MONTH} ([ \\d]\\d) ${TIME} (\\d{4})$`)

/**
 * Reads an HTTP-date in any of its three forms; all of them are UTC.
 *
 * `Date.parse` will not do: it reads the asctime form as local time, and takes `1.5` for a date.
 *
 * @param nowEpochMs - settles the century of the two-digit years of the RFC 850 form
 * @returns Unix milliseconds, or undefined where the text is no HTTP-date. Never throws.
 * @see RFC 9110 §5.6.7
 */
export function parseHttpDate(text: string, nowEpochMs: number): number | undefined {
  let [, day, month, year, hour, minute, second] =
    IMF_FIXDATE.exec(text) ?? RFC_850.exec(text) ?? []
  if (day === undefined) [, month, day, hour, minute, second, year] = ASCTIME.exec(text) ?? []
  if (day === undefined || month === undefined) return undefined
  const monthIndex = MONTHS.indexOf(month) / 3
  const utc = (fullYear: number) =>
    Date.UTC(
      fullYear,
      monthIndex,
      +day,
      +(hour as string),
      +(minute as string),
      +(second as string),
    )

  let fullYear = Number(year)
  if (year?.length === 2) {
    // A date that looks more than 50 years ahead is meant to be in the past century.
    const now = new Date(nowEpochMs).getUTCFullYear()
    fullYear += now - (now % 100)
    if (fullYear > now + 50) fullYear -= 100
  }
  const epochMs = utc(fullYear)
  const isReal =
    +(hour as string) < 24 &&
    +(minute as string) < 60 &&
    +(second as string) <= 60 && // a leap second
    new Date(Date.UTC(fullYear, monthIndex, +day)).getUTCDate() === +day &&
    fullYear >= 1000
  return isReal ? epochMs : undefined
}
