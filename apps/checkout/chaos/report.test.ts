import { Tally } from '@query-retry/checkout-api/chaos'
import { describe, expect, it } from 'vitest'
import { Chronicle } from './chronicle.ts'
import type { SeenRequest } from './evidence.ts'
import { planRun } from './plan.ts'
import {
  countRepeats,
  formatReport,
  formatViolations,
  listMissed,
  replayCommand,
  SITUATIONS,
} from './report.ts'

const request = (more: Partial<SeenRequest>): SeenRequest => ({
  checkout: 'checkout-0000',
  device: 'first',
  kind: 'pay',
  key: 'key-a',
  order: 'ord_1',
  isCalm: false,
  ...more,
})

describe('formatReport', () => {
  it('counts the share of requests with a fault: of all, and of those before the calm end', () => {
    const requests = [request({ fault: 'cut-off' }), request({}), request({ isCalm: true })]
    const evidence = { requests, ledger: [], ends: [] } as never
    const report = formatReport({
      ...{ plan: planRun({ seed: 7, checkouts: 1 }), tally: new Tally(), evidence },
      ...{ chronicle: new Chronicle(), violations: [], tookMs: 1_000 },
    })

    expect(report).toMatch(/all +3\n +with a fault +1 +33\.3 %/)
    expect(report).toMatch(/before the calm end +2\n +with a fault +1 +50\.0 %/)
    expect(report).toMatch(/violations: 0$/)
  })
})

describe('formatViolations', () => {
  it('tells five examples of each kind, and the stories of three checkouts', () => {
    const chronicle = new Chronicle()
    const violations = Array.from({ length: 7 }, (_, index) => {
      chronicle.note(`checkout-${index}`, `pays ${index}`)
      return { kind: 'stuck', detail: `order-${index}`, checkout: `checkout-${index}` }
    })

    const text = formatViolations(violations, chronicle)

    expect(text).toContain('violations: 7\n  stuck: 7\n    order-0\n')
    expect(text).toContain('order-4')
    expect(text).not.toContain('order-5')
    expect(text).toMatch(/the story of checkout-2\n.* s {2}pays 2/)
    expect(text).not.toContain('the story of checkout-3')
  })
})

describe('countRepeats', () => {
  it('counts payments beyond those that the client sent, but for one after a 401', () => {
    const journal = [{ key: 'key-a', state: 'sending', dispatchCount: 1 }]
    const turnedAway = request({ told: { status: 401, isOwn: false } })
    const requests = [request({ fault: 'answer-lost' }), turnedAway, request({})]

    expect(countRepeats({ requests, ends: [{ journal }] as never })).toBe(1)
  })
})

describe('listMissed', () => {
  it('names every situation and fault that never came about', () => {
    const tally = new Tally()
    tally.add('happened: checked again')

    const missed = listMissed({ tally, plan: planRun({ seed: 7, checkouts: 100 }) })

    expect(missed).not.toContain('checked again')
    expect(missed).toEqual(
      expect.arrayContaining([...SITUATIONS.filter(name => name !== 'checked again'), 'crash']),
    )
  })
})

describe('replayCommand', () => {
  it('names all that the plan depends on', () => {
    expect(replayCommand({ seed: 7, checkouts: 40 })).toBe(
      'pnpm chaos:checkout --seed 7 --checkouts 40',
    )
    expect(replayCommand({ seed: 7, checkouts: 8, client: 'asks-nobody' })).toBe(
      'pnpm chaos:checkout --seed 7 --checkouts 8 --client asks-nobody',
    )
  })
})
