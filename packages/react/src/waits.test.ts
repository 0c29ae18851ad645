import { describe, expect, it } from 'vitest'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

const unavailable = { status: 503 }

describe('waits between attempts', () => {
  it('are drawn from windows of 1, 2, 4 and 8 s above a floor of 200 ms: 5 attempts', async () => {
    const { fetch } = startConversation()
    const ending = fetch([{ fails: unavailable }])
    await advance(60_000)
    // Half-way: 600, 1,100, 2,100 and 4,100 ms.
    expect(ending.sentAtMs).toEqual([0, 600, 1_700, 3_800, 7_900])
    expect(ending.endedAtMs).toBe(7_900)
  })

  it.each([
    ['earliest', 0, [0, 200, 400, 600, 800]],
    ['latest', 1 - Number.EPSILON, [0, 1_000, 3_000, 7_000, 15_000]],
  ])('are at the %s of floor and window', async (_, draw, sentAtMs) => {
    const { fetch } = startConversation({ random: () => draw })
    const ending = fetch([{ fails: unavailable }])
    await advance(60_000)
    expect(ending.sentAtMs).toEqual(sentAtMs)
  })

  it('are 0.5, 1, 2, 4, 8, 16, 30 and 30 s with base 500 ms and cap 30 s, without jitter', async () => {
    const { fetch } = startConversation({
      baseMs: 500,
      capMs: 30_000,
      jitter: 'none',
      maxRetries: 8,
      deadlineMs: Infinity,
    })
    const ending = fetch([{ fails: unavailable }])
    await advance(200_000)
    expect(ending.sentAtMs).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 61_500, 91_500])
  })

  it('are 200 ms before the third retry with base 100 ms, no floor, full jitter and random 0.5', async () => {
    const { fetch, events } = startConversation({ baseMs: 100, floorMs: 0, maxRetries: 3 })
    const ending = fetch([{ fails: unavailable }])
    await advance(60_000)
    expect(ending.sentAtMs).toEqual([0, 50, 150, 350])
    expect(events.filter(({ type }) => type === 'retry-scheduled').at(-1)).toMatchObject({
      delayMs: 200,
    })
  })

  it('stay below 30 s at retry index 20 with base 500 ms, cap 30 s and random 0.999', () => {
    const { preset } = startConversation({
      baseMs: 500,
      capMs: 30_000,
      random: () => 0.999,
      maxRetries: Infinity,
    })
    const delayMs = preset.queries.retryDelay(20, unavailable)
    expect(delayMs).toBeGreaterThan(29_000)
    expect(delayMs).toBeLessThan(30_000)
  })

  it('follow each other with decorrelated jitter: each window is 3 times the draw before', async () => {
    const { fetch, events } = startConversation({ jitter: 'decorrelated', capMs: 60_000 })
    fetch([{ fails: unavailable }])
    await advance(60_000)
    // Half-way from 1,000 ms to 3,000, 6,000, 10,500 and 17,250 ms.
    expect(
      events.flatMap(event => (event.type === 'retry-scheduled' ? event.delayMs : [])),
    ).toEqual([2_000, 3_500, 5_750, 9_125])
  })

  it("leave a server's wait out of that chain", async () => {
    const { fetch, events } = startConversation({ jitter: 'decorrelated', maxRetries: 2 })
    fetch([{ fails: { status: 429, headers: { 'retry-after': '5' } } }])
    await advance(60_000)
    expect(
      events.flatMap(event => (event.type === 'retry-scheduled' ? event.delayMs : [])),
    ).toEqual([7_000, 8_500])
  })

  it.each([
    ['no', 0, 1],
    ['1', 1, 2],
    ['7', 7, 8],
  ])('with %s retries are %d: %d attempts', async (_, maxRetries, attempts) => {
    const { fetch } = startConversation({ maxRetries, deadlineMs: Infinity })
    const ending = fetch([{ fails: unavailable }])
    await advance(600_000)
    expect(ending.sentAtMs).toHaveLength(attempts)
  })
})
