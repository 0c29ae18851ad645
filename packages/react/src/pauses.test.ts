import { DeadlineExceededError } from '@query-retry/core'
import { focusManager, onlineManager } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

const unavailable = { status: 503 }

/** @see DESIGN "Deadline": the time between TanStack's `pause` and `continue` does not count */
describe.each([
  ['hidden tab', () => focusManager.setFocused(false), () => focusManager.setFocused(true)],
  ['lost connection', () => onlineManager.setOnline(false), () => onlineManager.setOnline(true)],
])('a pause (%s)', (_, pause, goOn) => {
  it('of 10 minutes during a wait does not use up the deadline of 30 s: the attempt is sent', async () => {
    const { fetch, eventTypes } = startConversation()
    const ending = fetch([{ fails: unavailable }, { answers: 'tea' }])
    await advance(300)
    pause()
    await advance(600_000)
    expect(ending.sentAtMs).toEqual([0])
    goOn()
    await advance(1)
    expect(ending).toMatchObject({ sentAtMs: [0, 600_300], data: 'tea' })
    expect(eventTypes().at(-1)).toBe('recovered')
  })

  it('counts from the end of the wait: 1,000 ms before and after it make the deadline of 2,000 ms', async () => {
    const { fetch, events } = startConversation({ deadlineMs: 2_000, jitter: 'none', factor: 1 })
    const ending = fetch([{ fails: unavailable }])
    await advance(500)
    pause()
    await advance(60_000)
    goOn()
    await advance(60_000)
    // Waits of 1,000 ms each; the pause lasts from 1,000 to 60,500 ms.
    expect(ending.sentAtMs).toEqual([0, 60_500, 61_500])
    expect(events.map(({ type, elapsedMs }) => [type, elapsedMs])).toEqual([
      ['attempt-failed', 0],
      ['retry-scheduled', 0],
      ['retry-started', 1_000],
      ['attempt-failed', 1_000],
      ['retry-scheduled', 1_000],
      ['retry-started', 2_000],
      ['attempt-failed', 2_000],
      ['gave-up', 2_000],
    ])
  })

  it('may come twice', async () => {
    const { fetch } = startConversation({ deadlineMs: 3_000, jitter: 'none', factor: 1 })
    const ending = fetch([{ fails: unavailable }])
    pause()
    await advance(10_000)
    goOn()
    await advance(500)
    pause()
    await advance(10_000)
    goOn()
    await advance(60_000)
    expect(ending.sentAtMs).toEqual([0, 10_000, 20_500, 21_500])
  })

  it('that is over before the wait ends changes nothing', async () => {
    const { fetch } = startConversation()
    const ending = fetch([{ fails: unavailable }, { answers: 'tea' }])
    await advance(100)
    pause()
    await advance(100)
    goOn()
    await advance(10_000)
    expect(ending.sentAtMs).toEqual([0, 600])
  })

  it('does not excuse a timer that fires late without it', async () => {
    const { fetch, clock } = startConversation()
    const ending = fetch([{ fails: unavailable }])
    await advance(300)
    clock.freezeFor(31_000)
    await advance(1_000)
    pause()
    await advance(1_000)
    goOn()
    await advance(1_000)
    expect(ending).toMatchObject({ sentAtMs: [0], error: expect.any(DeadlineExceededError) })
    expect(ending.error).toHaveProperty('cause', unavailable)
  })

  it('ends with a cancel, and nothing is sent afterwards', async () => {
    const { fetch, client, stopReasons } = startConversation()
    const ending = fetch([{ fails: unavailable }])
    pause()
    await advance(60_000)
    client.cancelQueries()
    goOn()
    await advance(60_000)
    expect(ending).toMatchObject({ sentAtMs: [0], endedAtMs: 60_000 })
    expect(stopReasons()).toEqual(['cancelled'])
  })
})

describe('a start without connection', () => {
  it('of 10 minutes does not count: the deadline runs from the first attempt', async () => {
    const { fetch } = startConversation()
    onlineManager.setOnline(false)
    const ending = fetch([{ fails: unavailable }])
    await advance(600_000)
    expect(ending.sentAtMs).toEqual([])
    onlineManager.setOnline(true)
    await advance(60_000)
    expect(ending.sentAtMs).toEqual([600_000, 600_600, 601_700, 603_800, 607_900])
  })
})
