import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DEFAULT_RETENTION } from './idempotency/retention.ts'
import { startServer } from './server.ts'
import { SettingError } from './setting-error.ts'
import { startTestShop } from './testing/test-shop.ts'

describe('startServer', () => {
  it.each([DEFAULT_RETENTION.leaseMs, DEFAULT_RETENTION.leaseMs + 1])(
    'refuses a provider timeout of %i: a payment has to end before its lease of 30000 does',
    async providerTimeoutMs => {
      await expect(startServer({ providerTimeoutMs })).rejects.toThrow(SettingError)
    },
  )

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
