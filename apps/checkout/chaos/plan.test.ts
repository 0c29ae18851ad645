import { describe, expect, it } from 'vitest'
import { BROKEN_CLIENTS } from './broken-clients.ts'
import { MISTAKES } from './client/mistakes.ts'
import { planRequest, planRun } from './plan.ts'
import { DRAWN_FAULTS, type RequestKind } from './request-faults.ts'
import { STORIES } from './stories.ts'

const ONE_PACK = Object.keys(STORIES).length

const drawRequests = (kind: RequestKind, count: number, seed = 7) =>
  Array.from({ length: count }, (_, index) => planRequest(seed, 'checkout-0001', index, kind))

describe('planRun', () => {
  it('gives the same plan for the same seed', () => {
    expect(planRun({ seed: 7, checkouts: 200 })).toEqual(planRun({ seed: 7, checkouts: 200 }))
  })

  it('gives another plan for another seed', () => {
    expect(planRun({ seed: 7, checkouts: 20 })).not.toEqual(planRun({ seed: 8, checkouts: 20 }))
  })

  it('has every story in the first pack of checkouts', () => {
    const { checkouts } = planRun({ seed: 7, checkouts: ONE_PACK })

    expect(new Set(checkouts.map(({ story }) => story))).toEqual(new Set(Object.keys(STORIES)))
  })

  it('in 500 checkouts has each story at least seven times, deadly ones less often than others', () => {
    const counts = new Map<string, number>()
    for (const { story } of planRun({ seed: 7, checkouts: 500 }).checkouts)
      counts.set(story, (counts.get(story) ?? 0) + 1)

    expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(7)
    expect(counts.get('worker-crashes')).toBeLessThan(counts.get('plain') ?? 0)
  })

  it('deals only the stories it is given', () => {
    const { checkouts } = planRun({ seed: 7, checkouts: 6, stories: ['plain', 'reload'] })

    expect(new Set(checkouts.map(({ story }) => story))).toEqual(new Set(['plain', 'reload']))
  })

  it('refuses a story that there is not', () => {
    expect(() => planRun({ seed: 7, checkouts: 1, stories: ['none'] })).toThrow(/no story none/)
  })

  it('lets nobody stay offline who has to come to an outcome', () => {
    for (const { steps } of planRun({ seed: 7, checkouts: 300 }).checkouts) {
      const offline = steps.findLastIndex(step => step.do === 'go-offline')
      const online = steps.findLastIndex(step => step.do === 'go-online')

      expect(online).toBeGreaterThanOrEqual(offline)
    }
  })
})

describe('planRequest', () => {
  it('is the same for the same request, whatever was drawn before', () => {
    const [, second] = drawRequests('pay', 2)

    expect(planRequest(7, 'checkout-0001', 1, 'pay')).toEqual(second)
  })

  it('lets four of ten requests suffer something', () => {
    const suffering = drawRequests('pay', 2_000).filter(fault => fault !== undefined)

    expect(suffering.length / 2_000).toBeCloseTo(0.4, 1)
  })

  it('draws every kind of fault for payments, but for a crash', () => {
    const kinds = new Set(drawRequests('pay', 1_000).flatMap(fault => fault?.kind ?? []))

    expect(kinds).toEqual(new Set(DRAWN_FAULTS))
    expect(kinds).not.toContain('crash')
  })

  it('lets no worker stand still for a request that is no payment', () => {
    const kinds = drawRequests('look-up', 1_000).map(fault => fault?.kind)

    expect(kinds).not.toContain('freeze')
  })
})

describe('BROKEN_CLIENTS', () => {
  it.each(Object.entries(BROKEN_CLIENTS))(
    '%s: goes through stories that honest runs do',
    (_, it) => {
      expect(Object.keys(STORIES)).toEqual(expect.arrayContaining([...it.stories]))
    },
  )

  it.each(Object.entries(BROKEN_CLIENTS))('%s: has a mistake to make', (_, { does }) => {
    expect(Object.keys(MISTAKES)).toContain(does)
  })
})
