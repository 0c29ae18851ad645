import { focusManager, onlineManager, QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, vi } from 'vitest'
import type { RetryEvent } from '../retry-events.ts'
import { createRetryPreset, type RetryPresetOptions } from '../retry-preset.ts'
import { fakeTimerClock } from './fake-timer-clock.ts'

/**
 * What one attempt does: never answer, answer, or fail, after so many milliseconds. It reads no
 * signal.
 */
export type Script =
  | 'hang'
  | { answers: unknown; afterMs?: number }
  | { fails: unknown; afterMs?: number }

export const unavailable = { fails: { status: 503 } } satisfies Script
export const tea = { answers: 'tea' } satisfies Script

const clients = new Set<QueryClient>()

/** Call once at the top of a test file: every test gets time of its own, online and in view. */
export function installFakeTime(): void {
  beforeEach(() => {
    // What msw, jsdom and React run on stays real.
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    })
    vi.setSystemTime(Date.UTC(2030, 0, 1))
  })
  afterEach(() => {
    for (const client of clients) {
      client.clear()
      client.unmount()
    }
    clients.clear()
    focusManager.setFocused(undefined)
    onlineManager.setOnline(true)
    vi.useRealTimers()
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })
}

/** A client with the preset, in the time of the test. Half of every window is drawn unless told otherwise. */
export function startConversation(options: RetryPresetOptions = {}) {
  const clock = fakeTimerClock()
  const events: RetryEvent[] = []
  const preset = createRetryPreset({ clock, random: () => 0.5, resumeSpreadMs: 0, ...options })
  preset.subscribe(event => events.push(event))
  const client = new QueryClient({ defaultOptions: preset.defaultOptions })
  // As a provider does: pauses end by it.
  client.mount()
  clients.add(client)
  return {
    clock,
    preset,
    client,
    events,
    /** The types of the events so far. */
    eventTypes: () => events.map(({ type }) => type),
    /** What ended the operations so far. */
    stopReasons: () =>
      events.flatMap(event => (event.type === 'gave-up' ? [event.stopReason] : [])),
    /** Fetches one query whose attempts follow the script; the last entry repeats. */
    fetch(scripts: Script[], queryKey: readonly unknown[] = ['scripted']) {
      const { queryFn, sentAtMs } = followScript(scripts, () => clock.nowMs())
      const ending: Ending = { sentAtMs }
      client
        .fetchQuery({ queryKey, queryFn })
        .then(
          data => {
            ending.data = data
          },
          error => {
            ending.error = error
          },
        )
        .finally(() => {
          ending.endedAtMs = clock.nowMs()
        })
      return ending
    },
  }
}

/** How an operation went: its sends and, once it is over, when it ended and with what. */
export interface Ending {
  sentAtMs: number[]
  endedAtMs?: number
  data?: unknown
  error?: unknown
}

/** A query function whose attempts follow the script; the last entry repeats. */
export function followScript(scripts: Script[], nowMs: () => number = () => performance.now()) {
  const sentAtMs: number[] = []
  const queryFn = async () => {
    const script = scripts[Math.min(sentAtMs.length, scripts.length - 1)]
    sentAtMs.push(nowMs())
    if (script === undefined || script === 'hang') return new Promise<never>(() => {})
    if (script.afterMs) await new Promise(resolve => setTimeout(resolve, script.afterMs))
    if ('fails' in script) throw script.fails
    return script.answers
  }
  return { queryFn, sentAtMs }
}

/** Lets `ms` milliseconds pass with everything that is due in them. */
export async function advance(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
}
