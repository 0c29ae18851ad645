import { AttemptTimeoutError } from '@query-retry/core'
import type { QueryFunctionContext } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { limitAttempt } from './attempt-limit.ts'
import { createAttemptTimer } from './attempt-timer.ts'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'
import { fakeTimerClock } from './testing-support/fake-timer-clock.ts'

installFakeTime()

/** Limits of 800 ms, no retry unless said otherwise. */
function startLimited(options = {}) {
  const conversation = startConversation({ attemptTimeoutMs: 800, maxRetries: 0, ...options })
  const { client, clock } = conversation
  const signals: AbortSignal[] = []
  return {
    ...conversation,
    signals,
    /** An attempt that reads `signal` and stops when it aborts. */
    fetchAborting(queryKey: readonly unknown[] = ['aborting']) {
      const outcome: { error?: unknown; endedAtMs?: number } = {}
      client
        .fetchQuery({
          queryKey,
          queryFn: ({ signal }: QueryFunctionContext) =>
            new Promise((_, reject) => {
              signals.push(signal)
              signal.addEventListener('abort', () => reject(signal.reason))
            }),
        })
        .catch(error => {
          outcome.error = error
          outcome.endedAtMs = clock.nowMs()
        })
      return outcome
    },
  }
}

describe('an attempt timeout of 800 ms', () => {
  it('aborts the signal that the attempt read, with an AttemptTimeoutError as the reason', async () => {
    const { fetchAborting, signals } = startLimited()
    const outcome = fetchAborting()
    await advance(799)
    expect(signals[0]?.aborted).toBe(false)
    await advance(1)
    expect(signals[0]?.reason).toBeInstanceOf(AttemptTimeoutError)
    expect(outcome).toEqual({ error: signals[0]?.reason, endedAtMs: 800 })
    expect(outcome.error).toMatchObject({ code: 'ATTEMPT_TIMEOUT', timeoutMs: 800 })
  })

  it('ends an attempt that ignores the signal just so', async () => {
    const { fetch } = startLimited()
    const ending = fetch(['hang'])
    await advance(800)
    expect(ending).toEqual({
      sentAtMs: [0],
      endedAtMs: 800,
      error: expect.any(AttemptTimeoutError),
    })
  })

  it('wins over what an attempt throws because of it', async () => {
    const { client } = startLimited()
    const fetched = client.fetchQuery({
      queryKey: ['chatty'],
      queryFn: ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('socket closed'))),
        ),
    })
    fetched.catch(() => {})
    await advance(800)
    await expect(fetched).rejects.toBeInstanceOf(AttemptTimeoutError)
  })

  it("lets TanStack's own abort through, at once and with its reason", async () => {
    const { fetchAborting, signals, client } = startLimited()
    fetchAborting()
    await advance(100)
    client.cancelQueries()
    expect(signals[0]?.aborted).toBe(true)
    expect(signals[0]?.reason).toHaveProperty('name', 'AbortError')
  })

  it('gives each attempt a signal of its own', async () => {
    const { fetchAborting, signals } = startLimited({ maxRetries: 1 })
    fetchAborting()
    await advance(60_000)
    expect(signals).toHaveLength(2)
    expect(signals[0]).not.toBe(signals[1])
  })

  it('leaves the rest of the context as it was', async () => {
    const { client } = startLimited()
    let seen: QueryFunctionContext | undefined
    await client.fetchQuery({
      queryKey: ['context', 1],
      meta: { page: 'cart' },
      queryFn: context => {
        seen = context
        return { ...context }.queryKey
      },
    })
    expect(seen).toMatchObject({ client, queryKey: ['context', 1], meta: { page: 'cart' } })
    expect(seen?.signal).toBeInstanceOf(AbortSignal)
    expect(seen?.signal).toBe(seen?.signal)
  })

  it('is what is left of the deadline less the reserve, where that is shorter', async () => {
    // The retry starts at 600 ms, with 350 ms left.
    const { fetch } = startLimited({ maxRetries: 1, deadlineMs: 1_000, reserveMs: 50 })
    const ending = fetch([{ fails: { status: 503 } }, 'hang'])
    await advance(60_000)
    expect(ending).toMatchObject({ sentAtMs: [0, 600], endedAtMs: 950 })
    expect(ending.error).toHaveProperty('timeoutMs', 350)
  })

  it('does not touch an attempt that answers in time, whatever it returns', async () => {
    const { client } = startLimited()
    const answer = { cart: ['tea'] }
    const later = () => new Promise(resolve => setTimeout(() => resolve(answer), 799))
    const options = { staleTime: 0, structuralSharing: false }
    for (const queryFn of [() => answer, async () => answer, later]) {
      const fetched = client.fetchQuery({ queryKey: ['same'], queryFn, ...options })
      await advance(799)
      expect(await fetched).toBe(answer)
    }
  })

  it('sleeps once for 50 attempts at a time, and keeps no timer once they are over', async () => {
    const { client, clock } = startLimited()
    for (let i = 0; i < 50; i++) {
      client.prefetchQuery({ queryKey: [i], queryFn: () => 'tea', gcTime: Infinity })
    }
    await advance(10_000)
    expect(clock.sleepCount).toBe(1)
  })

  it.each([
    ['answered', (signal: AbortSignal) => Promise.resolve(signal.aborted)],
    [
      'threw at once',
      () => {
        throw { status: 404 }
      },
    ],
  ])('does not abort the signal of an attempt that %s long ago', async (_, attempt) => {
    const { client } = startLimited()
    let seen: AbortSignal | undefined
    client.prefetchQuery({
      queryKey: ['over'],
      queryFn: ({ signal }) => {
        seen = signal
        return attempt(signal)
      },
    })
    await advance(10_000)
    expect(seen?.aborted).toBe(false)
  })

  it('is retried: a timeout may go away', async () => {
    const { fetch, events } = startLimited({ maxRetries: 1 })
    const ending = fetch(['hang', { answers: 'tea' }])
    await advance(60_000)
    expect(ending).toMatchObject({ sentAtMs: [0, 1_400], data: 'tea' })
    expect(events[0]).toMatchObject({ type: 'attempt-failed', reason: 'attempt-timeout' })
  })
})

describe('limitAttempt', () => {
  it('hands on the reason of the outer abort', async () => {
    const outer = new AbortController()
    const context = { signal: outer.signal } as QueryFunctionContext
    let reason: unknown
    const run = ({ signal }: QueryFunctionContext) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
          reject(signal.reason)
        })
      })
    const timer = createAttemptTimer(fakeTimerClock())
    const attempt = limitAttempt(run, context, 1_000, timer)
    outer.abort('left the page')
    await expect(attempt).rejects.toBe('left the page')
    expect(reason).toBe('left the page')
  })

  it('hands on an outer abort that was there before', async () => {
    const context = { signal: AbortSignal.abort('too late') } as QueryFunctionContext
    const run = async ({ signal }: QueryFunctionContext) => signal.throwIfAborted()
    const timer = createAttemptTimer(fakeTimerClock())
    await expect(limitAttempt(run, context, 1_000, timer)).rejects.toBe('too late')
  })
})
