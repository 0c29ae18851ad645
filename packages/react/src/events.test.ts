import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { RetryEvent } from './retry-events.ts'
import {
  advance,
  installFakeTime,
  type Script,
  startConversation,
  unavailable,
} from './testing-support/conversation.ts'

installFakeTime()

const queryHash = '["cart"]'

/** The events of one operation, in full. */
async function eventsOf(scripts: Script[], options = {}, cancelAtMs?: number) {
  const { fetch, client, events } = startConversation(options)
  fetch(scripts, ['cart'])
  if (cancelAtMs) {
    await advance(cancelAtMs)
    client.cancelQueries()
  }
  await advance(60_000)
  return events
}

describe('events of an operation that', () => {
  it('succeeds at once: none', async () => {
    expect(await eventsOf([{ answers: 'tea' }])).toEqual([])
  })

  it('recovers in its second attempt', async () => {
    expect(await eventsOf([unavailable, { answers: 'tea', afterMs: 50 }])).toEqual([
      { type: 'attempt-failed', queryHash, attempt: 1, elapsedMs: 0, reason: 'http-503' },
      {
        type: 'retry-scheduled',
        queryHash,
        attempt: 2,
        elapsedMs: 0,
        reason: 'http-503',
        delayMs: 600,
        source: 'backoff',
      },
      { type: 'retry-started', queryHash, attempt: 2, elapsedMs: 600, reason: 'http-503' },
      { type: 'recovered', queryHash, attempt: 2, elapsedMs: 650, reason: 'http-503' },
    ])
  })

  it('gives up: with the reason of the last failure', async () => {
    const events = await eventsOf([unavailable, { fails: { status: 404 }, afterMs: 50 }])
    expect(events.slice(2)).toEqual([
      { type: 'retry-started', queryHash, attempt: 2, elapsedMs: 600, reason: 'http-503' },
      { type: 'attempt-failed', queryHash, attempt: 2, elapsedMs: 650, reason: 'http-404' },
      {
        type: 'gave-up',
        queryHash,
        attempt: 2,
        elapsedMs: 650,
        reason: 'http-404',
        stopReason: 'not-retryable',
      },
    ])
  })

  it('is cancelled during the wait', async () => {
    const events = await eventsOf([unavailable], {}, 100)
    expect(events.map(({ type }) => type)).toEqual(['attempt-failed', 'retry-scheduled', 'gave-up'])
    expect(events.at(-1)).toMatchObject({
      attempt: 1,
      elapsedMs: 100,
      reason: 'http-503',
      stopReason: 'cancelled',
    })
  })

  it('is cancelled during its first attempt: none, since nothing had failed', async () => {
    expect(await eventsOf([{ answers: 'tea', afterMs: 500 }], {}, 100)).toEqual([])
  })

  it('is disabled', async () => {
    const events = await eventsOf([unavailable], { enabled: () => false })
    expect(events.map(({ type }) => type)).toEqual(['attempt-failed', 'gave-up'])
    expect(events.at(-1)).toMatchObject({ attempt: 1, stopReason: 'disabled' })
  })

  it('is switched off by `retry: false`', async () => {
    const { client, events } = startConversation()
    const queryFn = () => Promise.reject({ status: 503 })
    client.fetchQuery({ queryKey: ['cart'], queryFn, retry: false }).catch(() => {})
    await advance(60_000)
    expect(events.map(({ type }) => type)).toEqual(['gave-up'])
    expect(events.at(-1)).toMatchObject({ reason: 'http-503', stopReason: 'disabled' })
  })

  it('has a `retry` of its own: disabled where that ends it, cancelled where the caller does', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { client, stopReasons } = startConversation()
    const queryFn = () => Promise.reject({ status: 503 })
    const own = { queryKey: ['cart'], queryFn, retry: 1, retryDelay: 1_000 }
    client.fetchQuery(own).catch(() => {})
    await advance(60_000)
    expect(stopReasons()).toEqual(['disabled'])
    client.fetchQuery(own).catch(() => {})
    await advance(500)
    client.cancelQueries()
    await advance(60_000)
    expect(stopReasons()).toEqual(['disabled', 'cancelled'])
  })

  it('is fetched again by cancelRefetch during the wait: the first is cancelled, the second counts anew', async () => {
    const { client, fetch, events } = startConversation()
    client.setQueryData(['cart'], 'old')
    fetch([unavailable], ['cart'])
    await advance(100)
    client.refetchQueries({ queryKey: ['cart'] })
    await advance(1)
    expect(events.map(({ type, attempt }) => [type, attempt])).toEqual([
      ['attempt-failed', 1],
      ['retry-scheduled', 2],
      ['gave-up', 1],
      ['attempt-failed', 1],
      ['retry-scheduled', 2],
    ])
    expect(events[2]).toMatchObject({ stopReason: 'cancelled' })
  })
})

describe('a listener', () => {
  it('gets nothing after it unsubscribed, while the others go on', async () => {
    const { preset, fetch, events } = startConversation()
    const early: RetryEvent[] = []
    const unsubscribe = preset.subscribe(event => early.push(event))
    fetch([unavailable])
    await advance(100)
    unsubscribe()
    await advance(60_000)
    expect(early).toHaveLength(2)
    expect(events.length).toBeGreaterThan(early.length)
  })

  it('given as `onEvent` gets what a subscriber gets', async () => {
    const direct: RetryEvent[] = []
    const events = await eventsOf([unavailable], {
      onEvent: (event: RetryEvent) => direct.push(event),
    })
    expect(direct).toEqual(events)
    expect(direct).not.toEqual([])
  })
})

describe('no event', () => {
  /** A word that can have come from one place only. */
  const secret = fc.stringMatching(/^sk[a-z0-9]{12}$/)
  const status = fc.constantFrom(404, 429, 503)

  it('carries a payload, a header, an error message or what `meta` holds', async () => {
    await fc.assert(
      fc.asyncProperty(secret, status, fc.boolean(), async (word, code, isRecovered) => {
        const { client, events } = startConversation({ maxRetries: 1 })
        let sends = 0
        client
          .fetchQuery({
            queryKey: ['cart'],
            meta: { note: word },
            queryFn: async () => {
              if (sends++ === 1 && isRecovered) return { card: word }
              throw Object.assign(new Error(word), {
                status: code,
                headers: { authorization: word, 'idempotency-key': word, 'retry-after': '1' },
                response: { data: { card: word }, headers: { 'set-cookie': word } },
                config: { data: word, url: `https://shop.test/${word}` },
              })
            },
          })
          .catch(() => {})
        await advance(60_000)
        expect(events).not.toEqual([])
        expect(JSON.stringify(events)).not.toContain(word)
      }),
      { numRuns: 50 },
    )
  })

  it('has a field that is not listed', async () => {
    const known = ['type', 'queryHash', 'attempt', 'elapsedMs', 'reason']
    const more = ['delayMs', 'source', 'stopReason', 'optionError']
    for (const event of await eventsOf([unavailable])) {
      expect([...known, ...more]).toEqual(expect.arrayContaining(Object.keys(event)))
    }
  })
})
