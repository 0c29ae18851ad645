import { describe, expect, it, vi } from 'vitest'
import { runWithRetry } from './run-with-retry.ts'
import { manualClock } from './testing/index.ts'
import { converse, failing, hang } from './testing-support/converse.ts'

describe('runWithRetry, cancelling', () => {
  const reason = new Error('left the page')

  it.each<[string, Parameters<typeof converse>[0], number, number]>([
    ['during the wait', failing(), 50, 1],
    ['during an attempt that ignores it', hang, 50, 1],
    [
      'during an attempt that fails because of it',
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject('mine'))),
      50,
      1,
    ],
    [
      'during the second attempt',
      ({ attempt }) => (attempt === 1 ? failing()() : hang()),
      10_000,
      2,
    ],
  ])('gives the caller’s reason back at once, %s', async (_, operation, abortAtMs, attempts) => {
    const ended = await converse(operation, { abortAtMs, abortReason: reason })
    expect(ended.error).toBe(reason)
    expect(ended).toMatchObject({ endsAtMs: abortAtMs, attempts, because: 'cancelled' })
    expect(ended.clock.pending).toBe(0)
  })

  it('makes no attempt where it is cancelled before, and gives the reason back', async () => {
    const operation = vi.fn()
    const run = runWithRetry(operation, { signal: AbortSignal.abort(reason) })
    await expect(run).rejects.toBe(reason)
    expect(operation).not.toHaveBeenCalled()
  })

  it('hands the reason on to the attempt’s signal', async () => {
    const seen: unknown[] = []
    await converse(
      ({ signal }) => {
        signal.addEventListener('abort', () => seen.push(signal.reason))
        return hang()
      },
      { abortAtMs: 5, abortReason: reason },
    )
    expect(seen).toEqual([reason])
  })

  it('gives an AbortError back where no reason is given', async () => {
    const { error } = await converse(failing(), { abortAtMs: 50 })
    expect(error).toMatchObject({ name: 'AbortError' })
  })

  it('wins over a failure of the same turn', async () => {
    const controller = new AbortController()
    const run = runWithRetry(
      () => {
        controller.abort(reason)
        throw { status: 503 }
      },
      { signal: controller.signal },
    )
    await expect(run).rejects.toBe(reason)
  })

  it('comes too late for an answer that has arrived', async () => {
    const controller = new AbortController()
    const run = runWithRetry(() => 'answer', { signal: controller.signal })
    await run
    controller.abort(reason)
    await expect(run).resolves.toBe('answer')
  })

  it.each([
    ['ends', 0],
    ['ends too late for an attempt', 60_000],
  ])('starts nothing where it comes in the very turn in which the wait %s', async (_, lateMs) => {
    const clock = manualClock()
    const controller = new AbortController()
    const operation = vi.fn(failing())
    const sleep = (ms: number) => clock.sleep(ms + lateMs).then(() => controller.abort(reason))
    const ended = runWithRetry(operation, {
      clock: { ...clock, sleep },
      signal: controller.signal,
    }).catch(error => error)
    await clock.advance(120_000)
    expect(await ended).toBe(reason)
    expect(operation).toHaveBeenCalledOnce()
  })
})
