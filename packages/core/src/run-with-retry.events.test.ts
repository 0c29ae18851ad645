import { afterEach, describe, expect, it, vi } from 'vitest'
import { type RunOptions, runWithRetry } from './run-with-retry.ts'
import { manualClock } from './testing/index.ts'
import { converse, failing, hang, STEADY } from './testing-support/converse.ts'

afterEach(() => vi.restoreAllMocks())

describe('runWithRetry, events', () => {
  it('tells of a run that recovers', async () => {
    const { events } = await converse(
      ({ attempt }) => (attempt === 1 ? failing({ status: 429 })() : 'answer'),
      { policy: STEADY },
    )
    const reason = 'http-429'
    expect(events).toEqual([
      { type: 'attempt-failed', attempt: 1, elapsedMs: 0, reason },
      {
        type: 'retry-scheduled',
        attempt: 2,
        elapsedMs: 0,
        reason,
        delayMs: 100,
        source: 'backoff',
      },
      { type: 'retry-started', attempt: 2, elapsedMs: 100, reason },
      { type: 'recovered', attempt: 2, elapsedMs: 100, reason },
    ])
  })

  it('tells why a run gave up', async () => {
    const { events } = await converse(failing({ status: 404 }))
    expect(events).toEqual([
      { type: 'attempt-failed', attempt: 1, elapsedMs: 0, reason: 'http-404' },
      {
        type: 'gave-up',
        attempt: 1,
        elapsedMs: 0,
        reason: 'http-404',
        stopReason: 'not-retryable',
      },
    ])
  })

  it('tells of a run that was cancelled before its first attempt as attempt 0', async () => {
    const { events } = await converse(hang, { signal: AbortSignal.abort() })
    expect(events).toMatchObject([
      { type: 'gave-up', attempt: 0, stopReason: 'cancelled', reason: 'cancelled' },
    ])
  })

  it('goes to the listener that was given, whatever becomes of the options meanwhile', async () => {
    const first = vi.fn()
    const second = vi.fn()
    const options: RunOptions = { onEvent: first, clock: manualClock() }
    const run = runWithRetry(failing({ status: 404 }), options)
    options.onEvent = second
    await expect(run).rejects.toEqual({ status: 404 })
    expect(first).toHaveBeenCalledTimes(2)
    expect(second).not.toHaveBeenCalled()
  })

  it('carries no message, header or payload', async () => {
    const headers = { authorization: 'secret', 'retry-after': '1' }
    const thrown = Object.assign(new Error('secret'), { status: 503, headers, data: 'secret' })
    const { events } = await converse(failing(thrown))
    expect(events.length).toBeGreaterThan(5)
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  it.each<[string, () => void]>([
    ['throws', failing('from the listener')],
    ['rejects', () => Promise.reject('from the listener')],
  ])('reports a listener that %s, and goes on', async (_, onEvent) => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { attempts, error } = await converse(failing(), { onEvent })
    expect({ attempts, error }).toEqual({ attempts: 5, error: { status: 503 } })
    expect(reported).toHaveBeenCalledWith('[query-retry]', 'from the listener')
  })

  it('ends with the operation’s error where classify throws; the mistake goes to events and console', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    const mistake = new Error('mistake')
    const thrown = { status: 503 }
    const { error, events } = await converse(failing(thrown), {
      policy: { classify: failing(mistake) as () => never },
    })
    expect(error).toBe(thrown)
    expect(events.at(-1)).toMatchObject({ stopReason: 'not-retryable', optionError: mistake })
    expect(reported).toHaveBeenCalledWith('[query-retry]', mistake)
  })
})
