import { vi } from 'vitest'
import type { RetryPresetOptions } from '../retry-preset.ts'
import { startConversation } from './conversation.ts'

/**
 * Fetches one query over msw to its end. Answers take no time on the fake clock: it moves on, from one
 * timer to the next, only while no request is under way.
 *
 * @param send - default a `fetch` that throws the `Response` where it is not ok
 */
export async function fetchOverHttp(
  url: string,
  send: () => Promise<unknown> = () => getJson(url),
  { clockErrorMs = 0, ...options }: RetryPresetOptions & { clockErrorMs?: number } = {},
) {
  const { client, clock, events, stopReasons } = startConversation(options)
  clock.shiftEpoch(clockErrorMs)
  const sentAtMs: number[] = []
  let underWay: Promise<unknown> = Promise.resolve()
  let isOver = false
  const outcome: { data?: unknown; error?: unknown } = {}
  client
    .fetchQuery({
      queryKey: [url],
      queryFn: () => {
        sentAtMs.push(clock.nowMs())
        const attempt = send()
        underWay = attempt.catch(() => {})
        return attempt
      },
    })
    .then(
      data => {
        outcome.data = data
      },
      error => {
        outcome.error = error
      },
    )
    .finally(() => {
      isOver = true
    })
  while (!isOver) {
    await underWay
    await vi.advanceTimersByTimeAsync(0)
    if (!isOver) await vi.advanceTimersToNextTimerAsync()
  }
  return { ...outcome, sentAtMs, events, stopReasons: stopReasons() }
}

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url)
  if (!response.ok) throw response
  return response.json()
}
