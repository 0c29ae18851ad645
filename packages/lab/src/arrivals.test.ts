import { seededRandom } from '@query-retry/core/testing'
import { describe, expect, it } from 'vitest'
import { type Arrivals, allAtOnce, spreadOver, steadyRate } from './arrivals.ts'

function arrive(arrivals: Arrivals, clients: number): number[] {
  const random = seededRandom(1)
  return Array.from({ length: clients }, (_, client) => arrivals(client, random))
}

describe('allAtOnce', () => {
  it('lets everybody come at 0 ms', () => {
    expect(arrive(allAtOnce(), 3)).toEqual([0, 0, 0])
  })
})

describe('spreadOver', () => {
  it('gives every tenth of 10 s its share of 10,000 clients, within 10 %', () => {
    const counts = Array.from({ length: 10 }, () => 0)
    for (const atMs of arrive(spreadOver(10_000), 10_000)) {
      const tenth = Math.floor(atMs / 1_000)
      counts[tenth] = (counts[tenth] ?? 0) + 1
    }
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(100)
  })
})

describe('steadyRate', () => {
  it('lets 3 come each second, at equal distances to the millisecond', () => {
    expect(arrive(steadyRate(3), 5)).toEqual([0, 333, 666, 1_000, 1_333])
  })
})
