import { type QueryFunctionContext, useQuery } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { describe, expect, it } from 'vitest'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  followScript,
  installFakeTime,
  type Script,
  startConversation,
  unavailable,
} from './testing-support/conversation.ts'
import {
  advanceRendered,
  renderHookWithClient,
  renderWithClient,
} from './testing-support/render-with-client.tsx'

installFakeTime()

/** @param readsSignal - whether the query function looks at `signal`, which decides what unmounting does */
function startMounted(scripts: Script[], readsSignal: boolean, options: RetryPresetOptions = {}) {
  const conversation = startConversation(options)
  const { queryFn, sentAtMs } = followScript(scripts, conversation.clock.nowMs)
  const signals: AbortSignal[] = []
  const use = () =>
    useQuery({
      queryKey: ['cart'],
      queryFn: (context: QueryFunctionContext) => {
        if (!readsSignal) return queryFn()
        signals.push(context.signal)
        return new Promise((resolve, reject) => {
          context.signal.addEventListener('abort', () => reject(context.signal.reason))
          queryFn().then(resolve, reject)
        })
      },
    })
  const mount = () => renderHookWithClient(conversation.client, use)
  return { ...conversation, ...mount(), mount, use, sentAtMs, signals }
}

function Cart({ queryFn }: { queryFn: () => Promise<unknown> }) {
  return <p>{String(useQuery({ queryKey: ['cart'], queryFn }).data)}</p>
}

describe.each([
  ['without an attempt timeout', {}],
  ['with one', { attemptTimeoutMs: 20_000 }],
])('unmounting, %s,', (_, options) => {
  it('during the wait sends nothing more and ends in error when the wait ends, without `signal`', async () => {
    const { unmount, sentAtMs, client, stopReasons } = startMounted([unavailable], false, options)
    await advanceRendered(300)
    unmount()
    expect(client.getQueryState(['cart'])).toMatchObject({ fetchStatus: 'fetching' })
    await advanceRendered(60_000)
    expect(sentAtMs).toEqual([0])
    expect(client.getQueryState(['cart'])).toMatchObject({
      status: 'error',
      fetchStatus: 'idle',
      error: { status: 503 },
    })
    expect(stopReasons()).toEqual(['cancelled'])
  })

  it('during the wait takes the fetch back at once where `signal` was read', async () => {
    const { unmount, sentAtMs, client, stopReasons } = startMounted([unavailable], true, options)
    await advanceRendered(300)
    unmount()
    expect(client.getQueryState(['cart'])).toMatchObject({ status: 'pending', fetchStatus: 'idle' })
    await advanceRendered(60_000)
    expect(sentAtMs).toEqual([0])
    expect(stopReasons()).toEqual(['cancelled'])
  })

  it('during an attempt that does not read `signal` lets it finish: its answer is cached', async () => {
    const slow: Script = { answers: 'tea', afterMs: 5_000 }
    const { unmount, client, eventTypes } = startMounted([slow], false, options)
    await advanceRendered(1_000)
    unmount()
    await advanceRendered(60_000)
    expect(client.getQueryData(['cart'])).toBe('tea')
    expect(eventTypes()).toEqual([])
  })

  it('during a first attempt that reads `signal` aborts it and is no event: nothing had failed', async () => {
    const slow: Script = { answers: 'tea', afterMs: 5_000 }
    const { unmount, client, signals, events } = startMounted([slow], true, options)
    await advanceRendered(1_000)
    unmount()
    await advanceRendered(60_000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(client.getQueryState(['cart'])).toMatchObject({ status: 'pending', fetchStatus: 'idle' })
    expect(events).toEqual([])
  })

  it('during a retry that reads `signal` aborts it and counts one failed attempt', async () => {
    const slow: Script = { answers: 'tea', afterMs: 5_000 }
    const { unmount, signals, events } = startMounted([unavailable, slow], true, options)
    await advanceRendered(1_000)
    unmount()
    await advanceRendered(60_000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(events.map(({ type, attempt }) => [type, attempt])).toEqual([
      ['attempt-failed', 1],
      ['retry-scheduled', 2],
      ['retry-started', 2],
      ['gave-up', 2],
    ])
    expect(events.at(-1)).toMatchObject({ stopReason: 'cancelled' })
  })

  it('and mounting again during the wait goes on with the same retries, without `signal`', async () => {
    const { unmount, mount, sentAtMs, client } = startMounted(
      [unavailable, { answers: 'tea' }],
      false,
      options,
    )
    await advanceRendered(300)
    unmount()
    await advanceRendered(100)
    mount()
    await advanceRendered(10_000)
    expect(sentAtMs).toEqual([0, 600])
    expect(client.getQueryData(['cart'])).toBe('tea')
  })
})

describe('mounting', () => {
  it('twice, as StrictMode does, sends once and retries once', async () => {
    const { client, clock, eventTypes } = startConversation()
    const { queryFn, sentAtMs } = followScript([unavailable, { answers: 'tea' }], clock.nowMs)
    renderWithClient(
      client,
      <StrictMode>
        <Cart queryFn={queryFn} />
      </StrictMode>,
    )
    await advanceRendered(10_000)
    expect(sentAtMs).toEqual([0, 600])
    expect(eventTypes().at(-1)).toBe('recovered')
  })

  it('a second observer during the wait joins the fetch: one series of attempts', async () => {
    const { mount, unmount, sentAtMs, eventTypes } = startMounted([unavailable], false)
    await advanceRendered(300)
    mount()
    unmount()
    await advanceRendered(60_000)
    expect(sentAtMs).toEqual([0, 600, 1_700, 3_800, 7_900])
    expect(eventTypes().filter(type => type === 'gave-up')).toHaveLength(1)
  })
})
