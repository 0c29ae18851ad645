import { describe, expect, it } from 'vitest'
import { simulateHerd } from '../simulate-herd.ts'
import { COMPARED_POLICIES } from './compared-policies.ts'

describe('COMPARED_POLICIES', () => {
  it('has a name of its own for each, fit for a command line, and says where it is from', () => {
    const names = COMPARED_POLICIES.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const { name, title, source } of COMPARED_POLICIES) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(title.length).toBeLessThan(100)
      expect(URL.canParse(source)).toBe(true)
    }
  })

  it.each(COMPARED_POLICIES)('lets a herd of 100 end by $name', ({ policy, budget }) => {
    const herd = { clients: 100, capacityPerSlot: 10, slotMs: 100, retryAfterMs: 1_000, seed: 1 }
    const { served, gaveUp } = simulateHerd({ ...herd, policy, budget })
    expect(served + gaveUp).toBe(100)
    expect(served).toBeGreaterThan(0)
  })
})
