import { AttemptTimeoutError, DeadlineExceededError } from '@query-retry/core'
import { onlineManager } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { operationOf } from './operation.ts'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  advance,
  followScript,
  installFakeTime,
  startConversation,
} from './testing-support/conversation.ts'

installFakeTime()

/** 2,500 ms in all, 200 ms reserve, attempts of at most 800 ms, 3 attempts, waits of 100 and 300 ms. */
const VIRTUAL: RetryPresetOptions = {
  deadlineMs: 2_500,
  reserveMs: 200,
  attemptTimeoutMs: 800,
  minAttemptMs: 400,
  maxRetries: 2,
  baseMs: 100,
  factor: 3,
  floorMs: 0,
  jitter: 'none',
}
const timedOut = expect.any(AttemptTimeoutError)

describe('an operation of 2,500 ms with 200 ms reserve, 800 ms attempts and waits of 100 and 300 ms', () => {
  it('ends at 1,700 ms after 2 attempts where every attempt times out: 400 ms do not fit any more', async () => {
    const { fetch, stopReasons } = startConversation(VIRTUAL)
    const ending = fetch(['hang'])
    await advance(10_000)
    expect(ending).toEqual({ sentAtMs: [0, 900], endedAtMs: 1_700, error: timedOut })
    expect(stopReasons()).toEqual(['deadline'])
  })

  it('ends at 2,300 ms after 3 attempts with a minimum of 100 ms: the last attempt has 300 ms', async () => {
    const { fetch, stopReasons } = startConversation({ ...VIRTUAL, minAttemptMs: 100 })
    const ending = fetch(['hang'])
    await advance(10_000)
    expect(ending).toEqual({ sentAtMs: [0, 900, 2_000], endedAtMs: 2_300, error: timedOut })
    expect(ending.error).toHaveProperty('timeoutMs', 300)
    expect(stopReasons()).toEqual(['retries-exhausted'])
  })

  it('succeeds at 1,150 ms where the first attempt times out and the second answers after 250 ms', async () => {
    const { fetch, eventTypes } = startConversation(VIRTUAL)
    const ending = fetch(['hang', { answers: 'cart', afterMs: 250 }])
    await advance(10_000)
    expect(ending).toEqual({ sentAtMs: [0, 900], endedAtMs: 1_150, data: 'cart' })
    expect(eventTypes().at(-1)).toBe('recovered')
  })

  it('ends at 800 ms where the server then asks for 2 s: no attempt fits', async () => {
    const { fetch, stopReasons } = startConversation({ ...VIRTUAL, attemptTimeoutMs: 801 })
    const busy = { status: 503, headers: { 'retry-after': '2' } }
    const ending = fetch([{ fails: busy, afterMs: 800 }])
    await advance(10_000)
    expect(ending).toEqual({ sentAtMs: [0], endedAtMs: 800, error: busy })
    expect(stopReasons()).toEqual(['server-wait-too-long'])
  })

  it('sends nothing more when cancelled at 850 ms, during the first wait', async () => {
    const { fetch, client, stopReasons } = startConversation(VIRTUAL)
    const ending = fetch(['hang'])
    await advance(850)
    client.cancelQueries()
    await advance(10_000)
    expect(ending).toMatchObject({ sentAtMs: [0], endedAtMs: 850 })
    expect(stopReasons()).toEqual(['cancelled'])
  })

  it('sends nothing at all when cancelled before the first attempt', async () => {
    const { fetch, client, events } = startConversation(VIRTUAL)
    onlineManager.setOnline(false)
    const ending = fetch(['hang'])
    await advance(100)
    client.cancelQueries()
    onlineManager.setOnline(true)
    await advance(10_000)
    expect(ending).toMatchObject({ sentAtMs: [], endedAtMs: 100 })
    expect(events).toEqual([])
  })

  it('ends at once after a definite error', async () => {
    const { fetch, stopReasons } = startConversation(VIRTUAL)
    const ending = fetch([{ fails: { status: 404 } }])
    await advance(0)
    expect(ending).toEqual({ sentAtMs: [0], endedAtMs: 0, error: { status: 404 } })
    expect(stopReasons()).toEqual(['not-retryable'])
  })

  it('ends with the third failure: attempts are used up', async () => {
    const { fetch, stopReasons } = startConversation(VIRTUAL)
    const ending = fetch([{ fails: { status: 503 } }])
    await advance(10_000)
    expect(ending).toEqual({ sentAtMs: [0, 100, 400], endedAtMs: 400, error: { status: 503 } })
    expect(stopReasons()).toEqual(['retries-exhausted'])
  })

  it('sends again after 600 ms where the server asks for 500 ms and the draw is 100 ms', async () => {
    const { fetch } = startConversation(VIRTUAL)
    const limited = { status: 429, headers: { 'retry-after-ms': '500' } }
    const ending = fetch([{ fails: limited }, { answers: 'cart' }])
    await advance(10_000)
    expect(ending).toEqual({ sentAtMs: [0, 600], endedAtMs: 600, data: 'cart' })
  })
})

describe('the deadline', () => {
  it('ends the operation at once where the wait is longer than the time left', async () => {
    // Waits of 600 and 1,100 ms; the next of 2,100 ms would end at 3,800 ms.
    const { fetch, stopReasons } = startConversation({ deadlineMs: 3_799 })
    const ending = fetch([{ fails: { status: 503 } }])
    await advance(60_000)
    expect(ending).toEqual({ sentAtMs: [0, 600, 1_700], endedAtMs: 1_700, error: { status: 503 } })
    expect(stopReasons()).toEqual(['deadline'])
  })

  it('lets a wait that ends with it through', async () => {
    const { fetch } = startConversation({ deadlineMs: 3_800 })
    const ending = fetch([{ fails: { status: 503 } }])
    await advance(60_000)
    expect(ending.sentAtMs).toEqual([0, 600, 1_700, 3_800])
  })

  it('never cuts a slow attempt short by itself: an answer after 100 s arrives', async () => {
    const { fetch } = startConversation()
    const ending = fetch([{ answers: 'report', afterMs: 100_000 }])
    await advance(100_000)
    expect(ending).toEqual({ sentAtMs: [0], endedAtMs: 100_000, data: 'report' })
  })

  it('counts the attempts too: after one of 29.5 s a wait of 600 ms does not fit into 30 s', async () => {
    const { fetch, stopReasons } = startConversation()
    const ending = fetch([{ fails: { status: 503 }, afterMs: 29_500 }])
    await advance(60_000)
    expect(ending).toMatchObject({ sentAtMs: [0], endedAtMs: 29_500 })
    expect(stopReasons()).toEqual(['deadline'])
  })

  it('starts anew with each fetch', async () => {
    const { fetch } = startConversation({ deadlineMs: 1_000 })
    const first = fetch([{ fails: { status: 503 } }])
    await advance(60_000)
    const second = fetch([{ fails: { status: 503 } }])
    await advance(60_000)
    expect(first.sentAtMs).toEqual([0, 600])
    expect(second.sentAtMs).toEqual([60_000, 60_600])
  })

  it('is not moved by setting the wall clock', async () => {
    const { fetch, clock } = startConversation()
    const ending = fetch([{ fails: { status: 503 } }])
    clock.shiftEpoch(86_400_000)
    await advance(300)
    clock.shiftEpoch(-2 * 86_400_000)
    await advance(60_000)
    expect(ending.sentAtMs).toEqual([0, 600, 1_700, 3_800, 7_900])
  })

  it('is checked again after the wait: a timer that fires late ends in DeadlineExceededError', async () => {
    const { fetch, clock, events } = startConversation()
    const ending = fetch([{ fails: { status: 503 } }])
    await advance(300)
    clock.freezeFor(40_000)
    await advance(60_000)
    expect(ending).toMatchObject({ sentAtMs: [0], error: expect.any(DeadlineExceededError) })
    expect(ending.error).toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      deadlineMs: 30_000,
      elapsedMs: 40_600,
      cause: { status: 503 },
    })
    expect(events.map(({ type }) => type)).toEqual(['attempt-failed', 'retry-scheduled', 'gave-up'])
    expect(events.at(-1)).toMatchObject({ stopReason: 'deadline', attempt: 1, reason: 'http-503' })
  })

  it('does not count an attempt that it refused as one that failed', async () => {
    const { fetch, clock, client } = startConversation()
    fetch([{ fails: { status: 503 } }], ['frozen'])
    await advance(300)
    clock.freezeFor(40_000)
    await advance(60_000)
    const query = client.getQueryCache().find({ queryKey: ['frozen'] })
    expect(query && operationOf(query)?.failureCount).toBe(1)
  })

  it('does not hold for a query with a `retry` of its own', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { client, clock } = startConversation({ deadlineMs: 1_000 })
    const { queryFn, sentAtMs } = followScript([{ fails: { status: 503 } }], () => clock.nowMs())
    const options = { queryKey: ['own'], queryFn, retry: 2, retryDelay: 2_000 }
    const error = client.fetchQuery(options).catch(thrown => thrown)
    await advance(60_000)
    expect(sentAtMs).toEqual([0, 2_000, 4_000])
    expect(await error).toEqual({ status: 503 })
  })
})
