import { describe, expect, it } from 'vitest'
import { planRun } from './plan.ts'
import { formatReport, replayCommand } from './report.ts'
import { Tally } from './tally.ts'
import { listTargets } from './targets.ts'

describe('listTargets', () => {
  it('sets what was planned beside what was hit, and shows what never was', () => {
    const plan = planRun({ seed: 7, orders: 4, situations: ['crash-started', 'slow'] })
    const tally = new Tally()
    tally.add('crash@started', 2)

    const targets = listTargets(plan, tally)

    expect(targets).toContainEqual({ name: 'crash@started', planned: 2, hit: 2 })
    expect(targets).toContainEqual({ name: 'provider: slow', planned: 2, hit: 0 })
  })
})

describe('formatReport', () => {
  it('ends with the number of violations and examples of each kind', () => {
    const violations = Array.from({ length: 7 }, (_, index) => ({
      kind: 'captured-twice' as const,
      detail: `chaos-0000${index}: ch_1, ch_2`,
    }))
    const plan = planRun({ seed: 7, orders: 1, situations: ['slow'] })

    const report = formatReport({ plan, tally: new Tally(), violations, tookMs: 1_000 })

    expect(report).toContain('violations: 7\n  captured-twice: 7\n    chaos-00000: ch_1, ch_2\n')
    expect(report).not.toContain('chaos-00005')
  })
})

describe('replayCommand', () => {
  it('names all that the plan depends on', () => {
    expect(replayCommand({ seed: 7, orders: 40 })).toBe('pnpm chaos:server --seed 7 --orders 40')
    expect(replayCommand({ seed: 7, orders: 3, variant: 'no-epoch-check' })).toBe(
      'pnpm chaos:server --seed 7 --orders 3 --variant no-epoch-check',
    )
  })
})
