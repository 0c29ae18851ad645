import { experimental_streamedQuery as streamedQuery } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

const STEADY = { baseMs: 100, factor: 1, jitter: 'none', floorMs: 0 } as const
const waitMs = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

describe('a query removed during its second attempt', () => {
  it('does not hand its decision to another query that fails with the same error later', async () => {
    const { client, events } = startConversation({ ...STEADY, maxRetries: 3, deadlineMs: 5_000 })
    const shared = { status: 503 }
    let removedSends = 0
    const removed = async () => {
      if (removedSends++ > 0) await waitMs(1_000)
      throw shared
    }
    client.fetchQuery({ queryKey: ['removed'], queryFn: removed }).catch(() => {})
    await advance(500)
    client.removeQueries({ queryKey: ['removed'] })
    await advance(10_000)
    expect(events.at(-1)).toMatchObject({ type: 'gave-up', stopReason: 'cancelled' })

    const later = vi.fn(() => Promise.reject(shared))
    client.fetchQuery({ queryKey: ['later'], queryFn: later }).catch(() => {})
    await advance(10_000)
    expect(later).toHaveBeenCalledTimes(4)
    expect(events.at(-1)).toMatchObject({
      type: 'gave-up',
      queryHash: '["later"]',
      stopReason: 'retries-exhausted',
    })
  })
})

describe('a query that TanStack never asks us about', () => {
  it.each([
    ['retry: false', { retry: false, retryDelay: 5_000 }, 1],
    ['retry: 2', { retry: 2, retryDelay: 5_000 }, 3],
  ])('keeps its failure to itself where another shares the error: %s', async (_, own, ownSends) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { client, events } = startConversation(STEADY)
    const shared = { status: 503 }
    let refresh: Promise<never> | undefined
    const refreshToken = () => {
      refresh ??= waitMs(10).then(() => {
        refresh = undefined
        throw shared
      })
      return refresh
    }
    const unasked = vi.fn(refreshToken)
    const once = vi.fn(refreshToken)
    client.fetchQuery({ queryKey: ['own'], queryFn: unasked, ...own }).catch(() => {})
    const meta = { retry: { maxRetries: 0 } }
    client.fetchQuery({ queryKey: ['once'], queryFn: once, meta }).catch(() => {})
    await advance(30_000)

    expect(once).toHaveBeenCalledTimes(1)
    expect(unasked).toHaveBeenCalledTimes(ownSends)
    const reasons = events.flatMap(event =>
      event.type === 'gave-up' ? [[event.queryHash, event.stopReason]] : [],
    )
    expect(Object.fromEntries(reasons)).toEqual({
      '["once"]': 'retries-exhausted',
      '["own"]': 'disabled',
    })
  })
})

describe('an attempt timeout', () => {
  it('stops the stream of a streamed query, so that no chunk of it mixes into the retry', async () => {
    const { client } = startConversation({ ...STEADY, attemptTimeoutMs: 250, maxRetries: 1 })
    let attempts = 0
    async function* chunks() {
      const attempt = attempts++
      for (let index = 0; index < 4; index++) {
        await waitMs(attempt === 0 ? 100 : 30)
        yield `${attempt}.${index}`
      }
    }
    // Named `queryFn` up to 5.90 and `streamFn` after it.
    const queryFn = streamedQuery({ streamFn: chunks, queryFn: chunks } as never)
    client.fetchQuery({ queryKey: ['stream'], queryFn }).catch(() => {})
    await advance(3_000)
    expect(client.getQueryData(['stream'])).toEqual(['1.0', '1.1', '1.2', '1.3'])
  })
})
