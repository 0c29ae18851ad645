import { describe, expect, it, vi } from 'vitest'
import { systemClock } from './clock.ts'

const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length

/** Counts the listeners that a sleep adds to and takes from its signal. */
function countedSignal(controller: AbortController) {
  let listeners = 0
  const { signal } = controller
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = ((...args: Parameters<typeof add>) => {
    listeners++
    add(...args)
  }) as typeof signal.addEventListener
  signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
    listeners--
    remove(...args)
  }) as typeof signal.removeEventListener
  return { signal, listeners: () => listeners }
}

describe('systemClock', () => {
  it('leaves no timer behind where the sleep of an hour is aborted, and rejects with the reason', async () => {
    const before = timers()
    const controller = new AbortController()
    const reason = new Error('left the page')
    const slept = systemClock.sleep(3_600_000, controller.signal)
    expect(timers()).toBe(before + 1)
    controller.abort(reason)
    await expect(slept).rejects.toBe(reason)
    expect(timers()).toBe(before)
  })

  it('leaves no listener on the signal that aborted the sleep', async () => {
    const controller = new AbortController()
    const { signal, listeners } = countedSignal(controller)
    const slept = systemClock.sleep(3_600_000, signal)
    expect(listeners()).toBe(1)
    controller.abort()
    await expect(slept).rejects.toMatchObject({ name: 'AbortError' })
    expect(listeners()).toBe(0)
  })

  it('starts no timer where the signal was aborted before', async () => {
    const before = timers()
    const reason = new Error('never wanted')
    await expect(systemClock.sleep(3_600_000, AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(timers()).toBe(before)
  })

  it('leaves no listener on the signal after a sleep of 0 ms has ended', async () => {
    const { signal, listeners } = countedSignal(new AbortController())
    const slept = systemClock.sleep(0, signal)
    expect(listeners()).toBe(1)
    await slept
    expect(listeners()).toBe(0)
  })

  it('does not fire at once for a sleep beyond the longest timer', async () => {
    const before = timers()
    const controller = new AbortController()
    let woken = false
    const slept = systemClock.sleep(Infinity, controller.signal).then(() => {
      woken = true
    })
    // Two turns of the timer queue: a timer that overflowed to 1 ms would fire in them.
    await systemClock.sleep(2)
    await systemClock.sleep(2)
    expect(woken).toBe(false)
    expect(timers()).toBe(before + 1)
    controller.abort()
    await expect(slept).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('measures with a monotonic clock and dates with the wall clock', () => {
    expect(systemClock.nowMs()).toBeLessThanOrEqual(systemClock.nowMs())
    vi.spyOn(performance, 'now').mockReturnValue(1_000)
    vi.spyOn(Date, 'now').mockReturnValue(5_000)
    expect(systemClock.nowMs()).toBe(1_000)
    expect(systemClock.epochMs()).toBe(5_000)
    vi.restoreAllMocks()
  })
})
