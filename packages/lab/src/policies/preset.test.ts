import { describe, expect, it } from 'vitest'
import { simulateHerd } from '../simulate-herd.ts'
import { preset } from './preset.ts'

describe('preset', () => {
  it.each([{}, { outageMs: 60_000 }, { retryAfterMs: 5_000 }, { lostAnswerRatio: 0.5 }])(
    'has a budget that changes nothing for a browser with one query: %j',
    server => {
      const herd = { clients: 1_000, capacityPerSlot: 10, slotMs: 100, seed: 1, ...server }
      const { budget, policy } = preset
      expect(simulateHerd({ ...herd, policy, budget })).toEqual(simulateHerd({ ...herd, policy }))
    },
  )
})
