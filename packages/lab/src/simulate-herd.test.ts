import { createRetryPolicy, RetryBudget } from '@query-retry/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spreadOver, steadyRate } from './arrivals.ts'
import type { HerdOptions } from './herd-options.ts'
import { simulateHerd } from './simulate-herd.ts'

const HERD: HerdOptions = {
  clients: 1_000,
  capacityPerSlot: 10,
  slotMs: 100,
  policy: createRetryPolicy(),
  seed: 1,
}
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

describe('simulateHerd', () => {
  it('repeats itself for one seed, and gives something else for another', () => {
    expect(simulateHerd(HERD)).toEqual(simulateHerd(HERD))
    const { seed, ...other } = simulateHerd({ ...HERD, seed: 2 })
    expect(simulateHerd(HERD)).not.toMatchObject(other)
    expect(seed).toBe(2)
  })

  it('meets every policy with the same arrivals', () => {
    const herd = { ...HERD, arrivals: spreadOver(60_000), capacityPerSlot: 0 }
    const first = ({ policy }: Pick<HerdOptions, 'policy'>) => {
      const { callsPerSlot, retriesPerSlot } = simulateHerd({ ...herd, policy })
      return callsPerSlot.map((calls, slot) => calls - (retriesPerSlot[slot] ?? 0)).slice(0, 600)
    }
    expect(first(HERD)).toEqual(first({ policy: { delayMs: () => 300, maxRetries: 1 } }))
  })

  it('accounts for every client and every call, whatever the herd', () => {
    fc.assert(
      fc.property(
        fc.record({
          clients: fc.integer({ min: 1, max: 60 }),
          capacityPerSlot: fc.double({ min: 0, max: 8, noNaN: true }),
          slotMs: fc.integer({ min: 1, max: 2_000 }),
          answerMs: fc.nat(3_000),
          queueLimit: fc.nat(20),
          outageMs: fc.nat(20_000),
          outageAtMs: fc.nat(2_000),
          lostAnswerRatio: fc.double({ min: 0, max: 1, noNaN: true }),
          untilMs: fc.integer({ min: 1_000, max: 60_000 }),
          seed: fc.nat(),
        }),
        fc.record({
          maxRetries: fc.nat(6),
          deadlineMs: fc.constantFrom(1_000, 30_000, Infinity),
          attemptTimeoutMs: fc.constantFrom(undefined, 500),
        }),
        (herd, options) => {
          const policy = createRetryPolicy(options)
          const result = simulateHerd({ ...herd, arrivals: spreadOver(3_000), policy })
          const { served, gaveUp, stillTrying, callsPerSlot, retriesPerSlot } = result
          expect(served + gaveUp + stillTrying).toBe(herd.clients)
          expect(sum(Object.values(result.gaveUpBecause))).toBe(gaveUp)
          expect(sum(callsPerSlot)).toBe(result.totalCalls)
          expect(result.totalCalls - sum(retriesPerSlot)).toBeLessThanOrEqual(herd.clients)
          expect(Math.max(0, ...callsPerSlot)).toBe(result.peakCallsPerSlot)
          expect(Math.max(0, ...retriesPerSlot)).toBe(result.peakRetriesPerSlot)
          expect(result.allServedAtMs !== undefined).toBe(served === herd.clients)
          expect(result.carriedOut).toBeGreaterThanOrEqual(served)
          expect(result.longestWaitMs).toBeLessThanOrEqual(herd.untilMs)
          const isPart = (retries: number, slot: number) => retries <= (callsPerSlot[slot] ?? 0)
          expect(retriesPerSlot.every(isPart)).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('serves everybody at once where there is room: the minimum of calls, no retry', () => {
    expect(simulateHerd({ ...HERD, capacityPerSlot: 1_000 })).toMatchObject({
      totalCalls: 1_000,
      minimumCalls: 1_000,
      peakRetriesPerSlot: 0,
      allServedAtMs: 100,
      longestWaitMs: 100,
    })
  })

  it('says when half and 99 % of all clients were served, or that they never were', () => {
    const fixed = { delayMs: () => 1_000 }
    const herd = { ...HERD, clients: 100, policy: fixed }
    expect(simulateHerd(herd)).toMatchObject({
      p50ServedAtMs: 4_500,
      p99ServedAtMs: 10_000,
      allServedAtMs: 10_000,
    })
    expect(simulateHerd({ ...herd, policy: { ...fixed, maxRetries: 5 } })).toMatchObject({
      served: 60,
      p50ServedAtMs: 4_500,
      p99ServedAtMs: undefined,
      allServedAtMs: undefined,
    })
  })

  it.each([
    { why: 'retries-exhausted', options: { maxRetries: 2 } },
    { why: 'deadline', options: { deadlineMs: 500 } },
    { why: 'not-retryable', options: { classify: notRetryable } },
  ])('counts who gave up by core’s reason: $why', ({ why, options }) => {
    const policy = createRetryPolicy(options)
    const result = simulateHerd({ ...HERD, capacityPerSlot: 0, policy })
    expect(result).toMatchObject({ served: 0, gaveUp: 1_000 })
    expect(result.gaveUpBecause[why as 'deadline']).toBeGreaterThan(500)
  })

  it('ends a client whose server asks for more than its deadline leaves', () => {
    const { gaveUpBecause } = simulateHerd({ ...HERD, retryAfterMs: 31_000 })
    expect(gaveUpBecause).toEqual({ 'server-wait-too-long': 990 })
  })

  it('drives the budgets it is given: 100 clients that share 60 retries and never succeed send 160 calls', () => {
    const herd = { ...HERD, clients: 100, capacityPerSlot: 0 }
    let shared: RetryBudget | undefined
    const result = simulateHerd({
      ...herd,
      budget: ({ clock }) => (shared ??= new RetryBudget({ refillPerSecond: 0, clock })),
    })
    expect(result.totalCalls).toBe(160)
    expect(result.gaveUpBecause['budget-exhausted']).toBe(100)
  })

  it('refills budgets in virtual time and pays successes in', () => {
    const budget = new RetryBudget({ capacity: 0.5, refillPerSecond: 0, depositPerSuccess: 1 })
    const seen: number[] = []
    simulateHerd({
      ...HERD,
      clients: 2,
      capacityPerSlot: 2,
      arrivals: steadyRate(1),
      budget: ({ clock }) => ({
        tryWithdraw: () => budget.tryWithdraw(),
        refund: () => budget.refund(),
        recordSuccess: () => seen.push(clock.nowMs()),
      }),
    })
    expect(seen).toEqual([100, 1_100])
  })

  it('cuts an attempt at its limit, while the server carries it out all the same', () => {
    const policy = createRetryPolicy({ attemptTimeoutMs: 300, maxRetries: 1 })
    const herd = { ...HERD, clients: 5, capacityPerSlot: 5, policy }
    expect(simulateHerd({ ...herd, answerMs: 400 })).toMatchObject({
      served: 0,
      carriedOut: 10,
      gaveUpBecause: { 'retries-exhausted': 5 },
    })
    expect(simulateHerd({ ...herd, answerMs: 299 })).toMatchObject({ served: 5, carriedOut: 5 })
  })

  it('stops at untilMs a herd that would never end', () => {
    const policy = { delayMs: () => 1_000 }
    expect(simulateHerd({ ...HERD, capacityPerSlot: 0, policy, untilMs: 10_000 })).toMatchObject({
      stillTrying: 1_000,
      served: 0,
      gaveUp: 0,
      longestWaitMs: 10_000,
    })
  })

  it('tells how many are done, a hundredth at a time', () => {
    const told: number[] = []
    simulateHerd({ ...HERD, clients: 250, onProgress: done => told.push(done) })
    expect(told.slice(0, 2)).toEqual([3, 6])
    expect(told.at(-1)).toBe(250)
  })

  it('stops with a message where arrivals give no instant', () => {
    expect(() => simulateHerd({ ...HERD, arrivals: () => NaN })).toThrow(
      'arrivals must be a function that gives a finite number from 0, but is NaN',
    )
  })
})

function notRetryable() {
  return { kind: 'http', retryable: false, reason: 'http-503', effect: 'unknown' } as const
}
