import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSamplingWindow } from './sampling-window.ts'

describe('createSamplingWindow', () => {
  it('counts calls, and of them the failed and the slow, a slow failure as both', () => {
    const record = createSamplingWindow(10_000)
    record(0, false, false)
    record(1, true, false)
    record(2, false, true)
    expect(record(3, true, true)).toEqual(expect.objectContaining({ calls: 4, failed: 2, slow: 2 }))
  })

  it('holds an outcome for at least 9 s of 10 and for at most 10 s', () => {
    const callsAfter = (firstMs: number, ms: number) => {
      const record = createSamplingWindow(10_000)
      record(firstMs, true, false)
      return record(firstMs + ms, false, false).calls
    }
    expect(callsAfter(0, 9_999)).toBe(2)
    expect(callsAfter(0, 10_000)).toBe(1)
    expect(callsAfter(999, 9_000)).toBe(2)
    expect(callsAfter(999, 9_001)).toBe(1)
  })

  it('forgets nothing where the window is Infinity', () => {
    const record = createSamplingWindow(Infinity)
    record(0, true, false)
    expect(record(1e12, true, false).calls).toBe(2)
  })

  it('gives what a list of all outcomes gives', () => {
    const outcome = fc.record({
      waitMs: fc.oneof(fc.nat(20), fc.nat(3_000), fc.double({ min: 0, max: 500, noNaN: true })),
      isFailed: fc.boolean(),
      isSlow: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.array(outcome), (windowMs, outcomes) => {
        const record = createSamplingWindow(windowMs)
        const bucketOf = (ms: number) => Math.floor((ms * 10) / windowMs)
        const log: { atMs: number; isFailed: boolean; isSlow: boolean }[] = []
        let nowMs = 0
        for (const { waitMs, isFailed, isSlow } of outcomes) {
          nowMs += waitMs
          log.push({ atMs: nowMs, isFailed, isSlow })
          const held = log.filter(({ atMs }) => bucketOf(nowMs) - bucketOf(atMs) < 10)
          expect(record(nowMs, isFailed, isSlow)).toMatchObject({
            calls: held.length,
            failed: held.filter(entry => entry.isFailed).length,
            slow: held.filter(entry => entry.isSlow).length,
          })
        }
      }),
    )
  })
})
