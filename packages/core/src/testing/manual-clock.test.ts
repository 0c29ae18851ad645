import { describe, expect, it } from 'vitest'
import { manualClock } from './manual-clock.ts'

describe('manualClock', () => {
  it('wakes sleepers in the order of their time, those of one time in the order of their coming', async () => {
    const clock = manualClock()
    const order: string[] = []
    for (const [name, ms] of [
      ['c', 300],
      ['a', 100],
      ['b1', 200],
      ['b2', 200],
    ] as const)
      clock.sleep(ms).then(() => order.push(`${name} at ${clock.nowMs()}`))
    await clock.advance(1_000)
    expect(order).toEqual(['a at 100', 'b1 at 200', 'b2 at 200', 'c at 300'])
    expect(clock.nowMs()).toBe(1_000)
    expect(clock.pending).toBe(0)
  })

  it('stands still until it is told to move, and wakes nobody a millisecond early', async () => {
    const clock = manualClock()
    let woken = false
    clock.sleep(100).then(() => {
      woken = true
    })
    await clock.advance(99)
    expect(woken).toBe(false)
    expect(clock.pending).toBe(1)
    await clock.advance(1)
    expect(woken).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('wakes a loop that sleeps again within one advance, each time at its own time', async () => {
    const clock = manualClock()
    const seen: number[] = []
    const loop = async () => {
      for (;;) {
        await clock.sleep(400)
        seen.push(clock.nowMs())
      }
    }
    loop()
    await clock.advance(1_000)
    expect(seen).toEqual([400, 800])
    await clock.advance(200)
    expect(seen).toEqual([400, 800, 1_200])
  })

  it('runs a sleep that starts inside another sleeper’s continuation, before later sleepers', async () => {
    const clock = manualClock()
    const order: string[] = []
    clock
      .sleep(100)
      .then(() => clock.sleep(50))
      .then(() => order.push(`inner at ${clock.nowMs()}`))
    clock.sleep(200).then(() => order.push(`outer at ${clock.nowMs()}`))
    await clock.advance(200)
    expect(order).toEqual(['inner at 150', 'outer at 200'])
  })

  it('rejects with the signal’s reason at once where the sleep is aborted', async () => {
    const clock = manualClock()
    const controller = new AbortController()
    const reason = new Error('left the page')
    const slept = clock.sleep(100, controller.signal)
    expect(clock.pending).toBe(1)
    controller.abort(reason)
    await expect(slept).rejects.toBe(reason)
    expect(clock.pending).toBe(0)
    expect(clock.nowMs()).toBe(0)
  })

  it('rejects with the reason and adds no sleeper where the signal was aborted before', async () => {
    const clock = manualClock()
    const reason = new Error('never wanted')
    const slept = clock.sleep(100, AbortSignal.abort(reason))
    expect(clock.pending).toBe(0)
    await expect(slept).rejects.toBe(reason)
  })

  it('lets one sleeper’s waking abort another that is due later', async () => {
    const clock = manualClock()
    const controller = new AbortController()
    clock.sleep(100).then(() => controller.abort('taken back'))
    const slept = clock.sleep(200, controller.signal)
    const rejected = expect(slept).rejects.toBe('taken back')
    await clock.advance(500)
    await rejected
    expect(clock.pending).toBe(0)
  })

  it('moves the wall clock along, from epochMs', async () => {
    const clock = manualClock({ epochMs: 1_000_000 })
    await clock.advance(500)
    expect(clock.epochMs()).toBe(1_000_500)
  })

  it('sets the wall clock alone: sleepers and the monotonic clock do not notice', async () => {
    const clock = manualClock({ epochMs: 1_000_000 })
    const woken = clock.sleep(1_000).then(() => clock.nowMs())
    await clock.advance(400)
    clock.setEpochMs(5)
    expect(clock.nowMs()).toBe(400)
    await clock.advance(600)
    expect(clock.epochMs()).toBe(605)
    await expect(woken).resolves.toBe(1_000)
  })
})
