import { focusManager, onlineManager, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  advance,
  followScript,
  installFakeTime,
  startConversation,
  tea,
  unavailable,
} from './testing-support/conversation.ts'
import { evenDraws } from './testing-support/even-draws.ts'

installFakeTime()

/** The preset as it ships, but for the draws. */
function startCalm(options: RetryPresetOptions = {}) {
  return startConversation({ resumeSpreadMs: undefined, ...options })
}

const PAUSES: [string, () => void, () => void][] = [
  ['a hidden tab', () => focusManager.setFocused(false), () => focusManager.setFocused(true)],
  ['a lost connection', () => onlineManager.setOnline(false), () => onlineManager.setOnline(true)],
]

describe.each(PAUSES)('20 queries that %s has paused', (_, pause, goOn) => {
  it('come back spread over 500 ms, where TanStack sends them within one', async () => {
    const random = evenDraws()
    const { fetch } = startCalm({ random, jitter: 'none' })
    const endings = Array.from({ length: 20 }, (_, id) => fetch([unavailable, tea], [id]))
    await advance(100)
    pause()
    await advance(60_000)
    goOn()
    await advance(1_000)
    const resumedAtMs = endings.map(({ sentAtMs }) => (sentAtMs[1] ?? 0) - 60_100)
    expect(resumedAtMs.sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, place) => place * 25),
    )
  })

  it('come back at once with `resumeSpreadMs: 0`', async () => {
    const { fetch } = startCalm({ resumeSpreadMs: 0 })
    const endings = Array.from({ length: 20 }, (_, id) => fetch([unavailable, tea], [id]))
    await advance(100)
    pause()
    await advance(60_000)
    goOn()
    await advance(0)
    expect(endings.map(({ sentAtMs }) => sentAtMs[1])).toEqual(Array(20).fill(60_100))
  })

  it('come back at once where the preset is switched off meanwhile', async () => {
    let isOn = true
    const { fetch } = startCalm({ enabled: () => isOn })
    const ending = fetch([unavailable, tea])
    await advance(100)
    pause()
    isOn = false
    await advance(60_000)
    goOn()
    await advance(0)
    expect(ending.sentAtMs).toEqual([0, 60_100])
  })
})

describe('a query that resumes', () => {
  it('waits for what is left of the spread that the first of them began', async () => {
    const { fetch } = startCalm({ resumeSpreadMs: 1_000, random: () => 0.5 })
    const first = fetch([unavailable, tea], ['first'])
    await advance(100)
    onlineManager.setOnline(false)
    await advance(10_000)
    onlineManager.setOnline(true)
    await advance(200)
    const second = fetch([unavailable, tea], ['second'])
    await advance(0)
    onlineManager.setOnline(false)
    await advance(700)
    onlineManager.setOnline(true)
    await advance(10_000)
    // The spread began at 10,100 and has 100 ms left for the second. The first was offline in its turn, at
    // 10,600: it waits as TanStack does, and a draw of 600 ms.
    expect([first.sentAtMs, second.sentAtMs]).toEqual([
      [0, 11_200],
      [10_300, 11_050],
    ])
  })

  it('counts as waiting in its deadline, and its attempt timeout starts with the attempt', async () => {
    const { fetch } = startCalm({ attemptTimeoutMs: 1_000, resumeSpreadMs: 2_000 })
    const ending = fetch([unavailable, { answers: 'tea', afterMs: 900 }])
    await advance(100)
    onlineManager.setOnline(false)
    await advance(10_000)
    onlineManager.setOnline(true)
    await advance(10_000)
    expect(ending).toMatchObject({ sentAtMs: [0, 11_100], data: 'tea' })
  })

  it('is not sent where it is cancelled in its turn', async () => {
    const { client, fetch, stopReasons } = startCalm()
    const ending = fetch([unavailable, tea])
    await advance(100)
    onlineManager.setOnline(false)
    await advance(10_000)
    onlineManager.setOnline(true)
    await advance(100)
    client.cancelQueries()
    await advance(10_000)
    expect([ending.sentAtMs, stopReasons()]).toEqual([[0], ['cancelled']])
  })

  it('is not sent where its page is left in its turn, and ends in its own error', async () => {
    const { client, clock, stopReasons } = startCalm()
    const { queryFn, sentAtMs } = followScript([unavailable, tea], () => clock.nowMs())
    const stop = new QueryObserver(client, { queryKey: ['cart'], queryFn }).subscribe(() => {})
    await advance(100)
    onlineManager.setOnline(false)
    await advance(10_000)
    onlineManager.setOnline(true)
    await advance(100)
    stop()
    await advance(10_000)
    expect([sentAtMs, stopReasons()]).toEqual([[0], ['cancelled']])
    expect(client.getQueryState(['cart'])).toMatchObject({
      status: 'error',
      fetchStatus: 'idle',
      error: { status: 503 },
    })
  })

  it('is spread once: its next retries come when they are due', async () => {
    const { fetch } = startCalm()
    const ending = fetch([unavailable])
    await advance(100)
    onlineManager.setOnline(false)
    await advance(10_000)
    onlineManager.setOnline(true)
    await advance(20_000)
    expect(ending.sentAtMs).toEqual([0, 10_350, 11_450, 13_550, 17_650])
  })
})

describe('a start without connection', () => {
  it('spreads the first attempts of 20 queries over 500 ms', async () => {
    const { fetch } = startCalm({ random: evenDraws() })
    onlineManager.setOnline(false)
    const endings = Array.from({ length: 20 }, (_, id) => fetch([tea], [id]))
    await advance(60_000)
    onlineManager.setOnline(true)
    await advance(1_000)
    const sentAtMs = endings.map(({ sentAtMs }) => (sentAtMs[0] ?? 0) - 60_000)
    expect(sentAtMs).toEqual(Array.from({ length: 20 }, (_, place) => place * 25))
  })

  it('of a preset that is made offline does so as well', async () => {
    onlineManager.setOnline(false)
    const { fetch } = startCalm()
    const ending = fetch([tea])
    await advance(60_000)
    onlineManager.setOnline(true)
    await advance(1_000)
    expect(ending.sentAtMs).toEqual([60_250])
  })

  it('holds up nothing that is asked later', async () => {
    const { fetch } = startCalm()
    onlineManager.setOnline(false)
    fetch([tea], ['cold'])
    await advance(60_000)
    onlineManager.setOnline(true)
    await advance(1_000)
    expect(fetch([tea], ['later']).sentAtMs).toEqual([61_000])
  })
})

describe('a query that was not paused', () => {
  it('is sent at once, also right after the connection is back', async () => {
    const { fetch } = startCalm()
    expect(fetch([tea], ['before']).sentAtMs).toEqual([0])
    await advance(100)
    onlineManager.setOnline(false)
    onlineManager.setOnline(true)
    expect(fetch([tea], ['after']).sentAtMs).toEqual([100])
  })

  it('retries when it is due', async () => {
    const { fetch } = startCalm()
    const ending = fetch([unavailable, tea])
    await advance(60_000)
    expect(ending.sentAtMs).toEqual([0, 600])
  })
})
