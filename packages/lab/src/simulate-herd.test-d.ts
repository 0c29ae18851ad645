import { createRetryPolicy } from '@query-retry/core'
import { describe, expectTypeOf, test } from 'vitest'
import { COMPARED_POLICIES, simulateHerd } from './index.ts'

const herd = { clients: 1, capacityPerSlot: 1, slotMs: 100, seed: 1 }

describe('simulateHerd', () => {
  test('takes a policy of core, a formula of the retry’s number, and a named one spread in', () => {
    simulateHerd({ ...herd, policy: createRetryPolicy() })
    simulateHerd({ ...herd, policy: { delayMs: retryIndex => 100 * 2 ** retryIndex } })
    simulateHerd({ ...herd, policy: { delayMs: (_, random) => random() * 100, maxRetries: 3 } })
    for (const compared of COMPARED_POLICIES) simulateHerd({ ...herd, ...compared })
  })

  test('may never serve everybody, and says so', () => {
    const { allServedAtMs, served } = simulateHerd({ ...herd, policy: createRetryPolicy() })
    expectTypeOf(allServedAtMs).toEqualTypeOf<number | undefined>()
    expectTypeOf(served).toEqualTypeOf<number>()
  })

  test('counts those who gave up by reasons that core knows', () => {
    const { gaveUpBecause } = simulateHerd({ ...herd, policy: createRetryPolicy() })
    expectTypeOf(gaveUpBecause.deadline).toEqualTypeOf<number | undefined>()
    // @ts-expect-error no such reason
    gaveUpBecause.tired
  })

  test('wants a seed: what cannot be repeated proves nothing', () => {
    // @ts-expect-error seed is missing
    simulateHerd({ clients: 1, capacityPerSlot: 1, slotMs: 100, policy: createRetryPolicy() })
  })

  test('takes no unknown option', () => {
    // @ts-expect-error the name is capacityPerSlot, and it is counted by slot
    simulateHerd({ ...herd, policy: createRetryPolicy(), capacityPerSecond: 420 })
  })
})
