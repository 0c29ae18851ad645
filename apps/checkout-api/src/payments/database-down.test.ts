import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DatabaseUnavailableError } from '../database/database.ts'
import { startProvider } from '../provider/provider.ts'
import { startServer } from '../server.ts'
import { startBreakableProxy } from '../testing/breakable-proxy.ts'
import { Gate } from '../testing/gate.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { problemOf, shopClient, startTestShop } from '../testing/test-shop.ts'

describe('POST /payments when the database is gone', () => {
  it('answers 503 and does not call the provider', async () => {
    const shop = await startTestShop()
    onTestFinished(() => shop.close())
    const order = await shop.placeOrder()
    await shop.database.close()

    const response = await shop.pay({ key: randomUUID(), order })

    expect(response.status).toBe(503)
    expect(await problemOf(response)).toBe('database-unavailable')
    expect(await shop.ledger(order)).toEqual([])
  })
})

describe('POST /payments when only the table of keys cannot be reached', () => {
  it('fails closed: 503 and no call to the provider', async () => {
    const shop = await startTestShop(
      {},
      {
        database: database => ({
          ...database,
          query: (sql, parameters) =>
            sql.includes('FROM idempotency_records WHERE scope')
              ? Promise.reject(new DatabaseUnavailableError(new Error('gone')))
              : database.query(sql, parameters),
        }),
      },
    )
    onTestFinished(() => shop.close())
    const order = await shop.placeOrder()

    const response = await shop.pay({ key: randomUUID(), order })

    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('2')
    expect(await problemOf(response)).toBe('database-unavailable')
    expect(await shop.ledger(order)).toEqual([])
  })
})

// The embedded database has no line that could be cut.
describe.runIf(process.env.TEST_DATABASE_URL)('a line to PostgreSQL that is cut', () => {
  async function startShopOnALine() {
    const { databaseUrl = '', drop } = await createTestDatabase()
    const line = await startBreakableProxy(new URL(databaseUrl))
    const throughLine = new URL(databaseUrl)
    throughLine.host = `127.0.0.1:${line.port}`
    const provider = await startProvider()
    /** Held with the provider's answer in hand. */
    const gate = new Gate()
    const server = await startServer(
      {
        databaseUrl: throughLine.href,
        providerUrl: provider.url,
        providerTimeoutMs: 5_000,
        // Ends while the line is still cut: nobody can let go of the key then.
        retention: { leaseMs: 5_001 },
        completeEveryMs: 100,
      },
      {
        provider: client => ({
          ...client,
          async charge(effectKey, charge) {
            const result = await client.charge(effectKey, charge)
            await gate.pass()
            return result
          },
        }),
      },
    )
    const shop = await shopClient(server.url, provider.url)
    onTestFinished(async () => {
      await server.close()
      await provider.close()
      line.close()
      await drop()
    })
    const placed = (await (await shop.placeCart(randomUUID())).json()) as { id: string }
    return { shop, line, gate, payment: { key: randomUUID(), order: placed.id, amount: 124_000 } }
  }

  it('before anything has begun: 503, no call to the provider; the same key pays once it is mended', async () => {
    const { shop, line, payment } = await startShopOnALine()

    line.break()
    const refused = await shop.pay(payment)
    const ledger = await shop.ledger(payment.order)
    line.mend()

    expect(await problemOf(refused)).toBe('database-unavailable')
    expect(ledger).toEqual([])
    expect((await shop.pay(payment)).status).toBe(201)
  })

  it('while the provider charges: 503 outcome unknown, and settled with one charge once it is mended', async () => {
    const { shop, line, gate, payment } = await startShopOnALine()
    const charged = gate.close()

    const paying = shop.pay(payment)
    await charged
    line.break()
    gate.open()
    const unknown = await paying
    line.mend()

    expect(unknown.status).toBe(503)
    expect(await problemOf(unknown)).toBe('outcome-unknown')
    await expect
      .poll(async () => (await shop.lookUp(payment.key)).json(), { timeout: 20_000 })
      .toMatchObject({ state: 'done', answer: { status: 201 } })
    expect(await shop.ledger(payment.order)).toMatchObject([{ status: 'captured' }])
  })
})
