import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHttpDate } from './http-date.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

function weekday(epochMs: number): { short: string; long: string } {
  const long = WEEKDAYS[new Date(epochMs).getUTCDay()] as string
  return { short: long.slice(0, 3), long }
}

describe('parseHttpDate', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', 'fixed form'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 'RFC 850'],
    ['Sun Nov  6 08:49:37 1994', 'asctime'],
  ])('reads %j, the %s of one instant', text => {
    expect(parseHttpDate(text)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37))
  })

  it.each(MONTHS.map((month, index) => ({ month, index })))(
    'reads $month in all three forms',
    ({ month, index }) => {
      const expected = Date.UTC(2023, index, 15, 1, 2, 3)
      const { short, long } = weekday(expected)
      expect(parseHttpDate(`${short}, 15 ${month} 2023 01:02:03 GMT`)).toBe(expected)
      expect(parseHttpDate(`${long}, 15-${month}-23 01:02:03 GMT`)).toBe(expected)
      expect(parseHttpDate(`${short} ${month} 15 01:02:03 2023`)).toBe(expected)
    },
  )

  it.each([
    ['Thu, 29 Feb 2024 00:00:00 GMT', Date.UTC(2024, 1, 29)],
    ['Fri, 31 Dec 9999 23:59:59 GMT', Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])('reads %j: leap days and the last year', (text, expected) => {
    expect(parseHttpDate(text)).toBe(expected)
  })

  it('reads every second from 1970 to 9999 in the fixed and the asctime form', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 253_402_300_799 }), second => {
        const fixed = new Date(second * 1_000).toUTCString()
        const [, day, date = '', month, year, time] =
          /^(...), (..) (...) (....) (.{8}) GMT$/.exec(fixed) ?? []
        const asctime = `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`
        expect(parseHttpDate(fixed)).toBe(second * 1_000)
        expect(parseHttpDate(asctime)).toBe(second * 1_000)
      }),
    )
  })

  it.each([
    'Sat, 31 Feb 2024 00:00:00 GMT',
    'Wed, 29 Feb 2023 00:00:00 GMT',
    'Sun, 31 Apr 2023 00:00:00 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Sun, 32 Jan 2023 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Sun, 06 Nov 1994 08:49:61 GMT',
    'Sun, 06 nov 1994 08:49:37 GMT',
    'Sun, 06 NOV 1994 08:49:37 GMT',
    'sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 anF 1994 08:49:37 GMT',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 94 08:49:37 GMT',
    'Sun, 06 Nov 0094 08:49:37 GMT',
    'Sun, 06 Nov 1994 8:49:37 GMT',
    'Sun, 06 Nov 1994 08:49 GMT',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 GMT ',
    'Sun, 06 Nov 1994 08:49:37 GMT (later)',
    'Sun,06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994  8:49:37 GMT',
    'Sun, Monday, 06-Nov-94 08:49:37 GMT',
    '06 Nov 1994 08:49:37 GMT',
    'Sun, 06-Nov-94 08:49:37 GMT',
    'Sunday, 06-Nov-1994 08:49:37 GMT',
    'Sunday, 31-Feb-94 08:49:37 GMT',
    'Sun Nov 6 08:49:37 1994',
    'Sun Nov 06 08:49:37 1994 GMT',
    'Sun Feb 31 08:49:37 1994',
    'Fri Dec 16 08:49:00 11244',
    'Sun, ０６ Nov 1994 08:49:37 GMT',
    '',
  ])('takes %j for no date', text => {
    expect(parseHttpDate(text)).toBeNaN()
  })

  it.each([
    ['06-Nov-94', 'Sunday', 1994],
    ['06-Nov-94', 'Saturday', 2094],
    ['06-Nov-94', 'Monday', undefined],
    ['06-Nov-26', 'Saturday', 1926],
  ])('takes the century of %s, a %s, from the day of the week: %s', (date, day, year) => {
    const epochMs = parseHttpDate(`${day}, ${date} 08:49:37 GMT`)
    expect(epochMs).toBe(year ? Date.UTC(year, 10, 6, 8, 49, 37) : Number.NaN)
  })

  it('reads every second from 1970 to 2099 in the RFC 850 form', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_102_444_799 }), second => {
        const [, date, month, , year, time] =
          /^..., (..) (...) (..)(..) (.{8}) GMT$/.exec(new Date(second * 1_000).toUTCString()) ?? []
        const rfc850 = `${weekday(second * 1_000).long}, ${date}-${month}-${year} ${time} GMT`
        expect(parseHttpDate(rfc850)).toBe(second * 1_000)
      }),
    )
  })
})
