import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RetryPresetOptions } from './retry-preset.ts'
import { installFakeTime } from './testing-support/conversation.ts'
import { fetchOverHttp } from './testing-support/http-conversation.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())
installFakeTime()

const CART_URL = 'https://shop.test/cart'
const HOUR_MS = 3_600_000

/** The server turns the first request away with these headers, and serves the second. */
async function fetchTurnedAway(
  headers: Record<string, string>,
  options: RetryPresetOptions & { clockErrorMs?: number; status?: number } = {},
) {
  const { status = 429, ...presetOptions } = options
  let calls = 0
  server.use(
    http.get(CART_URL, () =>
      calls++ === 0 ? new HttpResponse(null, { status, headers }) : HttpResponse.json(['tea']),
    ),
  )
  // No draw above what the server asks, unless a test wants one.
  return fetchOverHttp(CART_URL, undefined, { floorMs: 0, random: () => 0, ...presetOptions })
}

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 60_000],
  ])('of `%s`, answered at 07:27:00, waits %d ms', async (value, waitMs) => {
    const { sentAtMs, data } = await fetchTurnedAway(
      { 'retry-after': value, date: 'Wed, 21 Oct 2015 07:27:00 GMT' },
      { maxServerWaitMs: Infinity, deadlineMs: Infinity },
    )
    expect(sentAtMs).toEqual([0, waitMs])
    expect(data).toEqual(['tea'])
  })

  it.each(['soon', '', '-3', '1.5', '1e3', '0x10', 'Infinity', '3, 5'])(
    'of `%s` counts as absent: the ordinary draw of 600 ms',
    async value => {
      const { sentAtMs } = await fetchTurnedAway(
        { 'retry-after': value },
        { floorMs: 200, random: () => 0.5 },
      )
      expect(sentAtMs).toEqual([0, 600])
    },
  )

  it.each([0, 5 * HOUR_MS, -5 * HOUR_MS])(
    'as seconds does not look at the clock, which is wrong by %d ms',
    async clockErrorMs => {
      const { sentAtMs } = await fetchTurnedAway({ 'retry-after': '7' }, { clockErrorMs })
      expect(sentAtMs).toEqual([0, 7_000])
    },
  )

  it.each([0, 5 * HOUR_MS, -5 * HOUR_MS])(
    "as a date is measured against the response's own `Date`, with a client's clock wrong by %d ms",
    async clockErrorMs => {
      const { sentAtMs } = await fetchTurnedAway(
        {
          'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT',
          date: 'Tue, 01 Jan 2030 00:00:00 GMT',
        },
        { clockErrorMs },
      )
      expect(sentAtMs).toEqual([0, 7_000])
    },
  )

  it.each([
    ['right', 0, 7_000],
    ['2 s slow', -2_000, 9_000],
    ['7 s fast', 7_000, 0],
  ])(
    "as a date without `Date` is measured against the preset's clock: %s",
    async (_, clockErrorMs, waitMs) => {
      const headers = { 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT' }
      const { sentAtMs } = await fetchTurnedAway(headers, { clockErrorMs })
      expect(sentAtMs).toEqual([0, waitMs])
    },
  )

  it('is added to a draw, so that clients told the same number do not come back together', async () => {
    const { sentAtMs, events } = await fetchTurnedAway(
      { 'retry-after': '5' },
      { floorMs: 200, random: () => 0.5 },
    )
    expect(sentAtMs).toEqual([0, 5_600])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'retry-scheduled', delayMs: 5_600, source: 'server' }),
    )
  })

  it('after a 503 spreads over as much again: half-way 5 s and 2.5 s', async () => {
    const { sentAtMs } = await fetchTurnedAway(
      { 'retry-after': '5' },
      { status: 503, random: () => 0.5 },
    )
    expect(sentAtMs).toEqual([0, 7_500])
  })

  it('of 31 s ends the operation of 30 s at once', async () => {
    const { sentAtMs, error, stopReasons } = await fetchTurnedAway({ 'retry-after': '31' })
    expect(sentAtMs).toEqual([0])
    expect(error).toMatchObject({ status: 429 })
    expect(stopReasons).toEqual(['server-wait-too-long'])
  })

  it('above `maxServerWaitMs` ends the operation at once, however far the deadline is', async () => {
    const options = { maxServerWaitMs: 10_000, deadlineMs: Infinity }
    const accepted = await fetchTurnedAway({ 'retry-after': '10' }, options)
    const refused = await fetchTurnedAway({ 'retry-after': '11' }, options)
    expect(accepted.sentAtMs).toEqual([0, 10_000])
    expect(refused.sentAtMs).toEqual([0])
    expect(refused.stopReasons).toEqual(['server-wait-too-long'])
  })
})
