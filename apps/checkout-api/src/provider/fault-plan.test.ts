import { describe, expect, it } from 'vitest'
import type { ProviderFault } from './fault.ts'
import { type FaultableCall, FaultPlan } from './fault-plan.ts'

const first: FaultableCall = { reference: 'ord_1', type: 'first' }
const repeat: FaultableCall = { reference: 'ord_1', type: 'repeat' }
const lookup: FaultableCall = { reference: 'ord_1', type: 'lookup' }

function planOf(faults: ProviderFault[], random?: () => number): FaultPlan {
  const plan = new FaultPlan(random)
  plan.replace(faults)
  return plan
}

function kindsOf(plan: FaultPlan, calls: FaultableCall[]): (string | undefined)[] {
  return calls.map(call => plan.take(call)?.kind)
}

describe('FaultPlan', () => {
  it('plays a list with counts as a script, and is calm after it', () => {
    const plan = planOf([
      { kind: 'lost-after', calls: 1 },
      { kind: 'down', calls: 2 },
    ])

    expect(kindsOf(plan, [first, repeat, repeat, repeat])).toEqual([
      'lost-after',
      'down',
      'down',
      undefined,
    ])
    expect(plan.list()).toEqual([])
  })

  it('hits every call where neither calls nor share is said', () => {
    const plan = planOf([{ kind: 'lost-before' }])
    expect(kindsOf(plan, Array(100).fill(first))).toEqual(Array(100).fill('lost-before'))
  })

  it("puts an order's own fault before the general ones, wherever it stands", () => {
    const plan = planOf([{ kind: 'down' }, { kind: 'lost-after', reference: 'ord_1', calls: 1 }])

    expect(kindsOf(plan, [{ ...first, reference: 'ord_2' }, first, first])).toEqual([
      'down',
      'lost-after',
      'down',
    ])
  })

  it('never hits another order with a fault that has a reference', () => {
    const plan = planOf([{ kind: 'down', reference: 'ord_1' }])

    expect(plan.take({ ...first, reference: 'ord_11' })).toBeUndefined()
    expect(plan.take({ reference: undefined, type: 'lookup' })).toBeUndefined()
    expect(plan.take(lookup)?.kind).toBe('down')
  })

  it.each([
    ['decline', [true, false, false]],
    ['lost-before', [true, true, false]],
    ['lost-after', [true, true, false]],
    ['late-apply', [true, true, false]],
    ['slow', [true, true, false]],
    ['down', [true, true, true]],
  ] as const)('%s hits a first call, a repeat, a lookup: %j', (kind, expected) => {
    const plan = planOf([{ kind, delayMs: 1, declineCode: 'lost-card' } as ProviderFault])
    expect([first, repeat, lookup].map(call => plan.take(call) !== undefined)).toEqual(expected)
  })

  it('keeps the count of a fault that could not hit', () => {
    const plan = planOf([{ kind: 'decline', declineCode: 'lost-card', calls: 1 }])
    expect(kindsOf(plan, [repeat, lookup, first])).toEqual([undefined, undefined, 'decline'])
  })

  it('hits no call at share 0 and every call at share 1, at both ends of the draw', () => {
    for (const draw of [0, 1 - Number.EPSILON]) {
      expect(planOf([{ kind: 'down', share: 0 }], () => draw).take(first)).toBeUndefined()
      expect(planOf([{ kind: 'down', share: 1 }], () => draw).take(first)?.kind).toBe('down')
    }
  })

  it('lets each share draw among the calls that those before it spared', () => {
    const draws = [0.1, 0.9, 0.1, 0.9, 0.9]
    const plan = planOf(
      [
        { kind: 'lost-before', share: 0.5 },
        { kind: 'lost-after', share: 0.5 },
      ],
      () => draws.shift() ?? Number.NaN,
    )

    expect(kindsOf(plan, [first, first, first])).toEqual(['lost-before', 'lost-after', undefined])
    expect(draws).toEqual([])
  })

  it('ends a fault forMs after it was given, and says what is left until then', () => {
    let nowMs = 1_000
    const plan = new FaultPlan(undefined, () => nowMs)
    plan.add({ kind: 'down', forMs: 500 })

    nowMs = 1_499
    expect(plan.list()).toEqual([{ kind: 'down', forMs: 500, remainingMs: 1 }])
    expect(plan.take(first)?.kind).toBe('down')
    nowMs = 1_500
    expect(plan.take(first)).toBeUndefined()
    expect(plan.list()).toEqual([])
  })

  it('shows what is left of a count, and forgets all of it on replace', () => {
    const plan = planOf([{ kind: 'down', calls: 3 }])
    plan.take(first)
    plan.add({ kind: 'lost-before' })

    expect(plan.list()).toEqual([{ kind: 'down', calls: 2 }, { kind: 'lost-before' }])
    plan.replace([{ kind: 'lost-after' }])
    expect(plan.list()).toEqual([{ kind: 'lost-after' }])
  })
})
