import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, vi } from 'vitest'
import type { RetryPresetOptions } from '../retry-preset.ts'
import { advance, installFakeTime, startConversation } from './conversation.ts'

/** What one attempt does. `'hang'` ends only where its signal is read and aborted. */
export type Reply = 'hang' | { fails: unknown } | { answers: unknown }

export interface Send {
  atMs: number
  pageParam: unknown
  signal?: AbortSignal
}

export const BUSY = { fails: { status: 503 } }
export const MISSING = { fails: { status: 404 } }

/** Call once at the top of a test file. */
export function installNoticeStage(): void {
  installFakeTime()
  afterEach(cleanup)
}

/** A client whose retries wait 5 s each, without jitter. */
export function openStage(options: RetryPresetOptions = {}) {
  const conversation = startConversation({
    jitter: 'none',
    baseMs: 5_000,
    capMs: 5_000,
    ...options,
  })
  const { client, clock } = conversation
  return {
    ...conversation,
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
    /** A query function whose attempts reply in this order; the last reply repeats. */
    replies(...replies: Reply[]) {
      return scriptReplies(replies, { nowMs: () => clock.nowMs() })
    },
    /** The same, for a query function that reads its signal. */
    abortableReplies(...replies: Reply[]) {
      return scriptReplies(replies, { nowMs: () => clock.nowMs(), readsSignal: true })
    },
  }
}

function scriptReplies(
  replies: Reply[],
  { nowMs, readsSignal = false }: { nowMs: () => number; readsSignal?: boolean },
) {
  const sends: Send[] = []
  async function queryFn(context: { signal: AbortSignal; pageParam?: unknown }): Promise<unknown> {
    const reply = replies[Math.min(sends.length, replies.length - 1)]
    const send: Send = { atMs: nowMs(), pageParam: context.pageParam }
    if (readsSignal) send.signal = context.signal
    sends.push(send)
    if (reply === undefined || reply === 'hang') {
      return new Promise((_, reject) => {
        send.signal?.addEventListener('abort', () => reject(send.signal?.reason))
      })
    }
    if ('fails' in reply) throw reply.fails
    return reply.answers
  }
  return { queryFn, sends, sentAtMs: () => sends.map(({ atMs }) => atMs) }
}

/** Time passes, and React renders what came of it. */
export async function pass(ms: number): Promise<void> {
  await act(() => advance(ms))
}

/** Everything that is due by now. TanStack tells its observers a turn later. */
export async function settle(): Promise<void> {
  await pass(1)
}

/** A person with a keyboard and a mouse, in fake time. */
export function startUser() {
  // Testing Library lets a turn of a real timer pass after each event, unless it finds Jest's timers.
  vi.stubGlobal('jest', { advanceTimersByTime: (ms: number) => vi.advanceTimersByTime(ms) })
  return userEvent.setup({ advanceTimers: ms => vi.advanceTimersByTime(ms) })
}
