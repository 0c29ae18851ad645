import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { repeat } from './repeat.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('repeat', () => {
  it('runs the work at once, then one pause after each end, never twice at a time', async () => {
    let end: () => void = () => undefined
    const work = vi.fn(
      () =>
        new Promise<void>(resolve => {
          end = resolve
        }),
    )
    repeat(1_000, work, () => undefined)

    await vi.advanceTimersByTimeAsync(5_000)
    expect(work).toHaveBeenCalledTimes(1)
    end()
    await vi.advanceTimersByTimeAsync(999)
    expect(work).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(work).toHaveBeenCalledTimes(2)
  })

  it('goes on after a rejection, and logs it', async () => {
    const lines: string[] = []
    const work = vi.fn().mockRejectedValueOnce(new Error('database away')).mockResolvedValue(0)
    repeat(1_000, work, line => lines.push(line))

    await vi.advanceTimersByTimeAsync(1_000)

    expect(work).toHaveBeenCalledTimes(2)
    expect(lines).toEqual(['database away'])
  })

  it('tells the work under way when to end, and not before', async () => {
    let signal: AbortSignal | undefined
    const work = (given: AbortSignal) => {
      signal = given
      return new Promise(resolve => given.addEventListener('abort', resolve))
    }
    const stop = repeat(1_000, work, () => undefined)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(signal?.aborted).toBe(false)

    await stop()

    expect(signal?.aborted).toBe(true)
  })

  it('stops: no further run, and resolves once the one under way has ended', async () => {
    let end: () => void = () => undefined
    const work = vi.fn(
      () =>
        new Promise<void>(resolve => {
          end = resolve
        }),
    )
    const stop = repeat(1_000, work, () => undefined)
    await vi.advanceTimersByTimeAsync(1_000)

    let isStopped = false
    const stopped = stop().then(() => {
      isStopped = true
    })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(isStopped).toBe(false)
    end()
    await stopped
    await vi.advanceTimersByTimeAsync(10_000)

    expect(work).toHaveBeenCalledTimes(1)
  })
})
