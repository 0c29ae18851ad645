import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Database } from './database/database.ts'
import { DEFAULT_RETENTION } from './idempotency/retention.ts'
import { startServer } from './server.ts'
import { SettingError } from './setting-error.ts'
import { createTestDatabase } from './testing/test-database.ts'
import { startTestShop } from './testing/test-shop.ts'

describe('startServer', () => {
  it.each([DEFAULT_RETENTION.leaseMs, DEFAULT_RETENTION.leaseMs + 1])(
    'refuses a provider timeout of %i: a payment has to end before its lease of 30000 does',
    async providerTimeoutMs => {
      await expect(startServer({ providerTimeoutMs })).rejects.toThrow(SettingError)
    },
  )

  it('reaps and completes at once, and not only after the first pause', async () => {
    const { databaseUrl, initialCluster, drop } = await createTestDatabase()
    const dataDir = await mkdtemp(join(tmpdir(), 'checkout-api-'))
    const where = databaseUrl ? { databaseUrl } : { dataDir }
    const seams = { initialCluster }
    let database: Database | undefined
    const hold = (opened: Database) => {
      database = opened
      return opened
    }
    const first = await startServer(
      { ...where, completeEveryMs: 3_600_000 },
      { ...seams, database: hold },
    )
    await database?.script(`
      INSERT INTO idempotency_records (scope, key, operation, phase, effect_key, status, done_at, expires_at)
      VALUES ('mina', 'old', 'POST /payments', 'done', gen_random_uuid(), 201, now(), now() - interval '1 day')`)
    await first.close()

    const second = await startServer({ ...where, completeEveryMs: 3_600_000 }, { database: hold })
    const countKeys = async () =>
      (await database?.query('SELECT 1 FROM idempotency_records'))?.length

    await expect.poll(countKeys).toBe(0)
    await second.close()
    await drop()
    await rm(dataDir, { recursive: true })
  })

  it('closes after the payment under way, however many are due: once they are, there is always one more', async () => {
    let calls = 0
    const shop = await startTestShop(
      { completeEveryMs: 10 },
      {
        provider: provider => ({
          ...provider,
          async charge() {
            calls += 1
            await sleep(20)
            return 'unknown'
          },
        }),
      },
    )
    const orders = await Promise.all(Array.from({ length: 10 }, () => shop.placeOrder()))
    await Promise.all(orders.map(order => shop.pay({ key: randomUUID(), order })))
    const before = calls
    await shop.database.query('UPDATE idempotency_records SET resume_at = clock_timestamp()')
    await expect.poll(() => calls, { interval: 1 }).toBeGreaterThan(before)

    const atClose = calls
    await shop.close()

    expect(calls - atClose).toBeLessThanOrEqual(1)
  })
})
