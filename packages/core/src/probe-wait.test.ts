import { describe, expect, it } from 'vitest'
import { CircuitBreaker } from './circuit-breaker.ts'
import { type ProbeSchedule, probeWaitMs } from './probe-wait.ts'
import { manualClock } from './testing/index.ts'

const NOW_MS = 1_000

describe('probeWaitMs', () => {
  it.each<[string, ProbeSchedule | undefined, number]>([
    ['there is no breaker', undefined, 0],
    ['the circuit is closed', { state: 'closed', nextProbeAtMs: undefined }, 0],
    ['the circuit is open, until in 4 s', { state: 'open', nextProbeAtMs: 5_000 }, 4_000],
    ['the circuit was open, until a second ago', { state: 'open', nextProbeAtMs: 0 }, -1_000],
    ['the probe is due now', { state: 'open', nextProbeAtMs: 1_000 }, 0],
    ['a breaker does not tell its state', { nextProbeAtMs: 5_000 }, 4_000],
    [
      'the circuit is half-open: a probe that ends makes room',
      { state: 'half-open', nextProbeAtMs: 11_000 },
      0,
    ],
    ['the instant is no number', { state: 'open', nextProbeAtMs: NaN }, NaN],
  ])('where %s', (_, breaker, expected) => {
    expect(probeWaitMs(breaker, NOW_MS)).toBe(expected)
  })

  it('follows a CircuitBreaker: 5 s from when it opens, nothing once it is half-open', async () => {
    const clock = manualClock()
    const breaker = new CircuitBreaker({ minimumCalls: 1, clock, random: () => 0.999_999 })
    expect(probeWaitMs(breaker, clock.nowMs())).toBe(0)
    await breaker.run(() => Promise.reject({ status: 503 })).catch(() => {})
    expect(probeWaitMs(breaker, clock.nowMs())).toBe(5_000)
    await clock.advance(5_000)
    expect(probeWaitMs(breaker, clock.nowMs())).toBe(0)
    breaker.run(() => new Promise(() => {})).catch(() => {})
    expect(breaker.state).toBe('half-open')
    expect(probeWaitMs(breaker, clock.nowMs())).toBe(0)
  })
})
