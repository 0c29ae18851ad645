import { describe, expect, it } from 'vitest'
import { CHECKPOINTS } from '../src/idempotency/checkpoint.ts'
import { parseFault } from '../src/provider/fault.ts'
import { BROKEN_VARIANTS } from './broken-variants.ts'
import { planLaterAttempt, planRun } from './plan.ts'
import { SITUATIONS } from './situations.ts'
import { Tally } from './tally.ts'
import { listTargets } from './targets.ts'

const ONE_PACK = Object.keys(SITUATIONS).length

describe('planRun', () => {
  it('gives the same plan for the same seed', () => {
    expect(planRun({ seed: 7, orders: 200 })).toEqual(planRun({ seed: 7, orders: 200 }))
  })

  it('gives another plan for another seed', () => {
    expect(planRun({ seed: 7, orders: 20 })).not.toEqual(planRun({ seed: 8, orders: 20 }))
  })

  it('draws for each client apart: a later attempt is the same whatever was drawn before it', () => {
    const first = planLaterAttempt(7, 'chaos-00001 a1', 5)
    for (let index = 0; index < 5; index += 1) planLaterAttempt(7, 'chaos-00001 a1', index)

    expect(planLaterAttempt(7, 'chaos-00001 a1', 5)).toEqual(first)
  })

  it('has every situation in the first pack of orders', () => {
    const { orders } = planRun({ seed: 7, orders: ONE_PACK })

    expect(new Set(orders.map(({ situation }) => situation))).toEqual(
      new Set(Object.keys(SITUATIONS)),
    )
  })

  it('has in one pack a crash and a freeze at every checkpoint, every provider fault and outage', () => {
    const names = listTargets(planRun({ seed: 7, orders: ONE_PACK }), new Tally()).map(
      ({ name }) => name,
    )

    expect(names).toEqual(
      expect.arrayContaining([
        ...CHECKPOINTS.flatMap(checkpoint => [`crash@${checkpoint}`, `freeze@${checkpoint}`]),
        ...['lost-before', 'lost-after', 'late-apply', 'slow', 'down', 'decline'].map(
          kind => `provider: ${kind}`,
        ),
        ...[
          'outage: kill',
          'outage: stop',
          'outage: disconnect',
          'lost response',
          'fenced',
          'wrong payload refused',
        ],
        ...['answer: 402 payment-declined', 'taken over by completer', 'taken over by client'],
      ]),
    )
  })

  it('alternates between two visitors, who send the same key strings for orders of their own', () => {
    const { orders } = planRun({ seed: 7, orders: 40 })

    for (let index = 0; index < orders.length; index += 2) {
      const [mina, jun] = orders.slice(index, index + 2)
      expect([mina?.principal, jun?.principal]).toEqual(['mina', 'jun'])
      expect(mina?.keys.map(({ key }) => key)).toEqual(jun?.keys.map(({ key }) => key))
      expect(mina?.id).not.toBe(jun?.id)
    }
    const keys = orders.flatMap(order => [...order.keys, order.lastKey].map(({ key }) => key))
    expect(new Set(keys).size).toBe(keys.length / 2)
  })

  it("arms only faults that the provider takes, each for its own order's charges", () => {
    const { orders } = planRun({ seed: 7, orders: 200 })

    for (const { id, providerFaults } of orders) {
      for (const fault of providerFaults) {
        expect(parseFault(fault).ok).toBe(true)
        expect(fault.reference).toBe(id)
      }
    }
  })

  it('deals only the situations it is given, without outages', () => {
    const { orders } = planRun({ seed: 7, orders: 10, situations: ['slow', 'crash-performed'] })

    expect(new Set(orders.map(({ situation }) => situation))).toEqual(
      new Set(['slow', 'crash-performed']),
    )
    expect(orders.every(({ outage }) => outage === undefined)).toBe(true)
  })

  it.each(Object.entries(BROKEN_VARIANTS))(
    '%s: its situations are among those that an honest run goes through',
    (_, { situations }) => {
      expect(Object.keys(SITUATIONS)).toEqual(expect.arrayContaining([...situations]))
    },
  )
})
