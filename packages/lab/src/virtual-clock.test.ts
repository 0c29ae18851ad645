import { describe, expect, it } from 'vitest'
import { VirtualClock } from './virtual-clock.ts'

describe('VirtualClock', () => {
  it('wakes a loop that sleeps again, between the others and each at its own time', async () => {
    const clock = new VirtualClock()
    const seen: string[] = []
    const loop = async (name: string, ms: number) => {
      for (;;) {
        await clock.sleep(ms)
        seen.push(`${name} at ${clock.nowMs()}`)
      }
    }
    loop('a', 400)
    loop('b', 250)
    await clock.runUntil(1_000)
    expect(seen).toEqual(['b at 250', 'a at 400', 'b at 500', 'b at 750', 'a at 800', 'b at 1000'])
  })

  it('wakes nobody after untilMs', async () => {
    const clock = new VirtualClock()
    let woken = false
    clock.sleep(101).then(() => {
      woken = true
    })
    await clock.runUntil(100)
    expect(woken).toBe(false)
    await clock.runUntil(101)
    expect(woken).toBe(true)
  })

  it('rejects with the signal’s reason at once where the sleep is taken back', async () => {
    const clock = new VirtualClock()
    const controller = new AbortController()
    const slept = clock.sleep(1_000, controller.signal)
    controller.abort('left')
    await expect(slept).rejects.toBe('left')
    await expect(clock.sleep(1, AbortSignal.abort('never'))).rejects.toBe('never')
    await clock.runUntil(2_000)
  })
})
