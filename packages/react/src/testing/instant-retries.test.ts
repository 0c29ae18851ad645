import { MutationObserver, QueryClient } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { ietfDraft } from '../contracts/ietf-draft.ts'
import { idempotentMutationOptions } from '../mutations/idempotent-mutation-options.ts'
import type { RetryEvent } from '../retry-events.ts'
import { createRetryPreset, type RetryPreset, type RetryPresetOptions } from '../retry-preset.ts'
import {
  followScript,
  installFakeTime,
  type Script,
  unavailable,
} from '../testing-support/conversation.ts'
import { instantRetries } from './instant-retries.ts'

installFakeTime()

/** Fetches one query to its end and tells what was sent and said, to 100 ms. */
async function converse(preset: RetryPreset, scripts: Script[]) {
  const events: RetryEvent[] = []
  preset.subscribe(event => {
    const { elapsedMs = 0 } = event
    events.push({ ...event, elapsedMs: rounded(elapsedMs) } as RetryEvent)
  })
  const client = new QueryClient({ defaultOptions: preset.defaultOptions })
  const { queryFn, sentAtMs } = followScript(scripts)
  const startedAtMs = performance.now()
  let isOver = false
  const fetched = client.fetchQuery({ queryKey: ['cart'], queryFn }).finally(() => {
    isOver = true
  })
  const outcome = fetched.then(
    data => ({ data }),
    error => ({ error }),
  )
  await vi.advanceTimersByTimeAsync(0)
  while (!isOver) {
    await vi.advanceTimersToNextTimerAsync()
    await vi.advanceTimersByTimeAsync(0)
  }
  const result = await outcome
  client.clear()
  return { attempts: sentAtMs.length, events, ...result, tookMs: performance.now() - startedAtMs }
}

/** A fake timer of 0 ms that is set by another takes 1 ms. */
const rounded = (ms: number) => Math.round(ms / 100) * 100

const limited: Script = { fails: { status: 429, headers: { 'retry-after': '7' } } }
const CASES: [string, RetryPresetOptions, Script[], attempts: number][] = [
  ['recovers', {}, [unavailable, { answers: 'tea' }], 2],
  ['uses up its retries', {}, [unavailable], 5],
  ['meets its deadline', { deadlineMs: 3_000 }, [unavailable], 3],
  ['meets its deadline after server waits', {}, [limited], 4],
  ['is told to wait too long', { deadlineMs: 6_000 }, [limited], 1],
  ['is not retryable', {}, [{ fails: { status: 404 } }], 1],
  ['is switched off', { enabled: () => false }, [unavailable], 1],
  ['draws each wait from the one before', { jitter: 'decorrelated' }, [unavailable], 5],
  ['has slow attempts of its own', { deadlineMs: 3_000 }, [{ ...unavailable, afterMs: 900 }], 2],
]

describe('instantRetries', () => {
  it.each(CASES)(
    'gives the decisions, events and number of attempts that the preset gives where a query %s',
    async (_, options, scripts, attempts) => {
      const random = () => 0.5
      const real = await converse(createRetryPreset({ ...options, random }), scripts)
      const instant = await converse(instantRetries({ ...options, random }), scripts)
      expect(real.attempts).toBe(attempts)
      expect(instant).toEqual({ ...real, tookMs: expect.any(Number) })
      expect(instant.tookMs).toBeLessThanOrEqual(real.tookMs)
    },
  )

  it('waits for nothing: 4 retries in no time', async () => {
    const { tookMs, attempts } = await converse(instantRetries(), [unavailable])
    expect(attempts).toBe(5)
    expect(rounded(tookMs)).toBe(0)
  })

  it('does not warn of its own `retryDelay`', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const client = new QueryClient({ defaultOptions: instantRetries().defaultOptions })
    const queryFn = () => Promise.reject({ status: 503 })
    client.fetchQuery({ queryKey: ['told of nothing'], queryFn }).catch(() => {})
    await vi.advanceTimersByTimeAsync(1_000)
    expect(warn).not.toHaveBeenCalled()
    client.clear()
  })

  it('gives mutations under a key the same decisions and events, without the waits', async () => {
    const preset = instantRetries({ random: () => 0.5 })
    const events: RetryEvent[] = []
    preset.subscribe(event => events.push(event))
    const client = new QueryClient({ defaultOptions: preset.defaultOptions })
    let sends = 0
    const options = idempotentMutationOptions({
      contract: ietfDraft(),
      mutationFn: async () => {
        sends++
        throw { status: 409, data: { type: 'request-in-progress' } }
      },
    })
    const startedAtMs = performance.now()
    const ended = new MutationObserver(client, options).mutate().catch(() => 'ended')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await ended).toBe('ended')
    expect(performance.now() - startedAtMs).toBe(1_000)
    // Waits of 0.75, 1.5, 3 and nine of 6 s, and no room for another.
    expect(sends).toBe(13)
    expect(events.at(-1)).toMatchObject({ type: 'gave-up', stopReason: 'deadline' })
    client.clear()
  })

  it("takes a clock of the caller's", async () => {
    const clock = { nowMs: () => 0, epochMs: () => 0, sleep: async () => {} }
    const { events } = await converse(instantRetries({ clock, random: () => 0.5 }), [unavailable])
    expect(events.at(-1)).toMatchObject({ type: 'gave-up', elapsedMs: 7_900 })
  })

  it('keeps what two presets in one test do apart', async () => {
    const random = () => 0.5
    instantRetries({ random })
    const { events } = await converse(instantRetries({ random }), [unavailable, { answers: 'tea' }])
    expect(events.at(-1)).toMatchObject({ type: 'recovered', elapsedMs: 600 })
  })
})
