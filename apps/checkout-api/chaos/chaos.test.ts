import { describe, expect, it } from 'vitest'
import { BROKEN_VARIANTS } from './broken-variants.ts'
import { runChaos } from './run.ts'
import { listTargets } from './targets.ts'

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
const SEED = 20_260_301

describe.skipIf(!serverUrl)('runChaos (only with TEST_DATABASE_URL, a PostgreSQL server)', () => {
  it('40 orders on the server as it is: nobody pays twice, everything settles', async () => {
    const { violations, plan, tally } = await runChaos({ serverUrl, seed: SEED, orders: 40 })

    expect(violations).toEqual([])
    // Of so few orders one trouble or the other never comes about; most of them have to.
    const targets = listTargets(plan, tally)
    expect(targets.filter(({ hit }) => hit > 0).length).toBeGreaterThan(targets.length / 2)
  })

  it.each(Object.entries(BROKEN_VARIANTS))(
    '%s: is found out',
    async (variant, { orders, expects }) => {
      const { violations } = await runChaos({ serverUrl, seed: SEED, orders, variant })

      expect(violations.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...expects]))
    },
  )
})
