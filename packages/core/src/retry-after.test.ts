import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseRetryAfter, readServerWait } from './retry-after.ts'

const AT_0727 = Date.UTC(2015, 9, 21, 7, 27)
const HOUR_MS = 3_600_000
const MEGABYTES = 4_000_000

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('parseRetryAfter', () => {
  it.each([
    { value: '120', expected: 120_000 },
    { value: 'Wed, 21 Oct 2015 07:28:00 GMT', expected: 60_000 },
    { value: 'soon', expected: undefined },
  ])('reads the examples of the standard: $value is $expected', ({ value, expected }) => {
    expect(parseRetryAfter(value, AT_0727)).toBe(expected)
  })

  it.each([
    ['0', 0],
    ['007', 7_000],
    [' 5 ', 5_000],
    ['\t5', 5_000],
    ['2147483647', 2_147_483_647_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Wed, 21 Oct 2015 07:27:00 GMT', 0],
    ['Wed, 21 Oct 2015 07:26:59 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', Date.UTC(9999, 11, 31, 23, 59, 59) - AT_0727],
    ['Wednesday, 21-Oct-15 07:28:00 GMT', 60_000],
    ['Wed Oct 21 07:28:00 2015', 60_000],
  ])('reads %j as %d ms', (value, expected) => {
    expect(parseRetryAfter(value, AT_0727)).toBe(expected)
  })

  it.each([
    '-3',
    '+5',
    '1.5',
    '1.5x',
    '.5',
    '5.',
    '0x10',
    '1e3',
    '1_000',
    '1,000',
    '5s',
    '5 ms',
    '5;q=1',
    '"5"',
    '',
    ' ',
    '   ',
    'NaN',
    'Infinity',
    'null',
    'undefined',
    'true',
    '5, 10',
    '5,5',
    'Wed, 21 Oct 2015 07:28:00 GMT, 5',
    '２０',
    '٥',
    '५',
    '²',
    '5\u00005',
    '2015-10-21T07:28:00Z',
    '1445412480000 GMT',
    'tomorrow',
  ])('takes %j for absent, not for a short or a long wait', value => {
    expect(parseRetryAfter(value, AT_0727)).toBeUndefined()
  })

  it.each([undefined, null, 5, 5n, true, {}, ['5'], Symbol('5'), new Date(0)])(
    'takes %s for absent, since it is no text',
    value => {
      expect(parseRetryAfter(value as string)).toBeUndefined()
    },
  )

  it.each([
    ['Asia/Seoul', -540],
    ['America/Los_Angeles', 420],
  ])('reads an asctime date as UTC where the local zone is %s', (zone, offsetMinutes) => {
    vi.stubEnv('TZ', zone)
    expect(new Date(AT_0727).getTimezoneOffset()).toBe(offsetMinutes)
    expect(parseRetryAfter('Wed Oct 21 07:28:00 2015', AT_0727)).toBe(60_000)
  })

  it('measures against Date.now() where no clock is given', () => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(AT_0727)
    const inAnHour = new Date(AT_0727 + HOUR_MS).toUTCString()
    expect(parseRetryAfter(inAnHour)).toBe(HOUR_MS)
    expect(readServerWait({ 'retry-after': inAnHour })).toBe(HOUR_MS)
    now.mockRestore()
  })

  it('reads every whole number of seconds exactly and every other text as absent', () => {
    fc.assert(
      fc.property(fc.nat(), seconds => {
        expect(parseRetryAfter(String(seconds))).toBe(seconds * 1_000)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        fc.pre(!/^[ \t\n\r]*\d+[ \t\n\r]*$/.test(text))
        expect(parseRetryAfter(text, AT_0727)).toBeUndefined()
      }),
    )
  })

  it('gives back the wait that any date in the fixed form was made from', () => {
    const second = fc.integer({ min: 0, max: 250_000_000_000 })
    fc.assert(
      fc.property(second, fc.nat(1_000_000_000), (nowSeconds, waitSeconds) => {
        fc.pre(nowSeconds + waitSeconds < 253_402_300_800)
        const text = new Date((nowSeconds + waitSeconds) * 1_000).toUTCString()
        expect(parseRetryAfter(text, nowSeconds * 1_000)).toBe(waitSeconds * 1_000)
      }),
    )
  })

  it.each([NaN, Infinity, -Infinity])(
    'never gives NaN or more than 2^53 - 1 at %d o’clock',
    now => {
      const waitMs = parseRetryAfter('Wed, 21 Oct 2015 07:28:00 GMT', now) ?? 0
      expect(waitMs).toBeGreaterThanOrEqual(0)
      expect(waitMs).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER)
    },
  )

  it.each([
    ['digits', '1'.repeat(MEGABYTES), Number.MAX_SAFE_INTEGER],
    ['digits that end in a letter', `${'1'.repeat(MEGABYTES)}x`, undefined],
    ['spaces around a 5', `${' '.repeat(MEGABYTES)}5${' '.repeat(MEGABYTES)}`, 5_000],
    ['spaces between', `1${' '.repeat(MEGABYTES)}1`, undefined],
    ['a weekday and spaces', `Wed, ${' '.repeat(MEGABYTES)}`, undefined],
    ['letters', 'Wed'.repeat(MEGABYTES), undefined],
  ])('reads megabytes of %s', (_, value, expected) => {
    expect(parseRetryAfter(value, AT_0727)).toBe(expected)
  })
})

describe('readServerWait', () => {
  it('measures a date against the response’s own Date where the client’s clock is 5 h ahead', () => {
    const headers = {
      date: 'Wed, 21 Oct 2015 07:27:00 GMT',
      'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT',
    }
    expect(readServerWait(headers, AT_0727 + 5 * HOUR_MS)).toBe(60_000)
    expect(readServerWait(headers, AT_0727 - 5 * HOUR_MS)).toBe(60_000)
  })

  it.each(['', 'now', '2015-10-21', '0'])('measures against the clock where Date is %j', date => {
    const headers = { date, 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }
    expect(readServerWait(headers, AT_0727)).toBe(60_000)
  })

  it('does not let a wrong Date change a wait in seconds', () => {
    const headers = { date: 'Fri, 31 Dec 9999 23:59:59 GMT', 'retry-after': '5' }
    expect(readServerWait(headers, AT_0727)).toBe(5_000)
  })

  it.each([
    { milliseconds: '1500', seconds: '7', expected: 1_500 },
    { milliseconds: ' 1500 ', seconds: undefined, expected: 1_500 },
    { milliseconds: '0', seconds: undefined, expected: 0 },
    { milliseconds: '9'.repeat(400), seconds: '7', expected: Number.MAX_SAFE_INTEGER },
    { milliseconds: '-5', seconds: '7', expected: 7_000 },
    { milliseconds: '1.5', seconds: '7', expected: 7_000 },
    { milliseconds: 'soon', seconds: undefined, expected: undefined },
    { milliseconds: 'Wed, 21 Oct 2015 07:28:00 GMT', seconds: '7', expected: 7_000 },
    { milliseconds: '', seconds: '7', expected: 7_000 },
    { milliseconds: undefined, seconds: '7', expected: 7_000 },
  ])(
    'reads retry-after-ms $milliseconds with Retry-After $seconds as $expected ms',
    ({ milliseconds, seconds, expected }) => {
      const headers = new Map<string, string>()
      if (milliseconds !== undefined) headers.set('retry-after-ms', milliseconds)
      if (seconds !== undefined) headers.set('retry-after', seconds)
      expect(readServerWait(headers)).toBe(expected)
    },
  )

  it('takes two Retry-After fields, joined to "5, 10" by Headers, for absent', () => {
    const headers = new Headers([
      ['Retry-After', '5'],
      ['Retry-After', '10'],
    ])
    expect(headers.get('retry-after')).toBe('5, 10')
    expect(readServerWait(headers)).toBeUndefined()
  })
})
