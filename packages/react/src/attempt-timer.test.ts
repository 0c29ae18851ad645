import { describe, expect, it, vi } from 'vitest'
import { createAttemptTimer } from './attempt-timer.ts'
import { advance, installFakeTime } from './testing-support/conversation.ts'
import { fakeTimerClock } from './testing-support/fake-timer-clock.ts'

installFakeTime()

describe('createAttemptTimer', () => {
  it('sleeps once for 1,000 limits that follow each other', async () => {
    const clock = fakeTimerClock()
    const timer = createAttemptTimer(clock)
    for (let i = 0; i < 1_000; i++) timer(5_000 + i, () => {})()
    expect(clock.sleepCount).toBe(1)
    await advance(20_000)
    expect(clock.sleepCount).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('calls each at its own time, in whatever order they were asked for', async () => {
    const clock = fakeTimerClock()
    const timer = createAttemptTimer(clock)
    const calls: [string, number][] = []
    for (const delayMs of [300, 100, 200, 100]) {
      timer(delayMs, () => calls.push([`${delayMs}`, clock.nowMs()]))
    }
    await advance(1_000)
    expect(calls).toEqual([
      ['100', 100],
      ['100', 100],
      ['200', 200],
      ['300', 300],
    ])
  })

  it('calls none that was stopped, and those after it in time', async () => {
    const clock = fakeTimerClock()
    const timer = createAttemptTimer(clock)
    const calls: string[] = []
    const stop = timer(100, () => calls.push('stopped'))
    timer(200, () => calls.push(`at ${clock.nowMs()}`))
    stop()
    await advance(1_000)
    expect(calls).toEqual(['at 200'])
  })

  it('takes limits that a limit sets', async () => {
    const clock = fakeTimerClock()
    const timer = createAttemptTimer(clock)
    const calls: number[] = []
    timer(100, () => {
      timer(50, () => calls.push(clock.nowMs()))
      timer(20, () => calls.push(clock.nowMs()))
    })
    timer(500, () => calls.push(clock.nowMs()))
    await advance(1_000)
    expect(calls).toEqual([120, 150, 500])
  })

  it('sleeps on where it was woken too early', async () => {
    const clock = fakeTimerClock()
    const timer = createAttemptTimer(clock)
    const onDue = vi.fn()
    timer(100, onDue)
    clock.freezeFor(-10)
    await advance(100)
    expect(onDue).not.toHaveBeenCalled()
    await advance(10)
    expect(onDue).toHaveBeenCalledOnce()
  })
})
