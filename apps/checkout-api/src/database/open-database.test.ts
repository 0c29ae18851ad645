import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Listener, listen } from '../listen.ts'
import { startServer } from '../server.ts'
import { startBreakableProxy } from '../testing/breakable-proxy.ts'
import { createTestApp } from '../testing/test-app.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { DatabaseUnavailableError } from './database.ts'
import { openDatabase } from './open-database.ts'

const isServer = Boolean(process.env.TEST_DATABASE_URL)

let where: { databaseUrl?: string | undefined; dataDir?: string }
let cleanUp: () => Promise<void>

beforeAll(async () => {
  const { databaseUrl, drop } = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'checkout-api-'))
  where = databaseUrl ? { databaseUrl } : { dataDir }
  cleanUp = async () => {
    await drop()
    await rm(dataDir, { recursive: true })
  }
})
afterAll(() => cleanUp())

describe('openDatabase', () => {
  it('seeds once: after a restart, changes are kept and deleted rows stay deleted', async () => {
    const first = await openDatabase(where)
    await first.query('UPDATE orders SET status = $1 WHERE id = $2', ['paid', 'ord_1004'])
    await first.query("DELETE FROM orders WHERE id <> 'ord_1004'")
    await first.close()

    const second = await openDatabase(where)

    expect(await second.query('SELECT id, status FROM orders')).toEqual([
      { id: 'ord_1004', status: 'paid' },
    ])
    await second.close()
  })

  it('rolls a failed transaction back and goes on', async () => {
    const database = await openDatabase(where)
    const failing = database.transaction(async session => {
      await session.query("UPDATE orders SET status = 'cancelled'")
      throw new Error('changed my mind')
    })

    await expect(failing).rejects.toThrow('changed my mind')
    expect(await database.query("SELECT id FROM orders WHERE status = 'cancelled'")).toEqual([])
    await database.close()
  })

  it('stores nothing of a transaction in which a statement failed, even if that was caught', async () => {
    const database = await openDatabase(where)
    const careless = database.transaction(async session => {
      await session.query("UPDATE orders SET status = 'cancelled'")
      await session.query("UPDATE orders SET status = 'lost'").catch(() => undefined)
      return 'done'
    })

    // 23514: check_violation. COMMIT alone would have answered with a silent ROLLBACK.
    await expect(careless).rejects.toMatchObject({ code: '23514' })
    expect(await database.query("SELECT id FROM orders WHERE status = 'cancelled'")).toEqual([])
    await database.close()
  })

  it('rejects with the error of the engine where a statement is wrong', async () => {
    const database = await openDatabase(where)
    const wrong = database.query('SELECT * FROM nowhere')

    await expect(wrong).rejects.toMatchObject({ code: '42P01' })
    await expect(wrong).rejects.not.toBeInstanceOf(DatabaseUnavailableError)
    await database.close()
  })

  it.skipIf(isServer)(
    'creates a database of its own in memory, each time, where it is told of no place',
    async () => {
      const [one, other] = [await openDatabase(), await openDatabase()]
      await one.query("DELETE FROM orders WHERE id = 'ord_1001'")

      const count = 'SELECT count(*)::integer AS count FROM orders'
      expect(await one.query(count)).toEqual([{ count: 3 }])
      expect(await other.query(count)).toEqual([{ count: 4 }])
      await one.close()
      await other.close()
    },
  )

  it.skipIf(isServer)(
    'refuses a folder that is open already, and opens it once it is free',
    async () => {
      const first = await openDatabase(where)

      await expect(openDatabase(where)).rejects.toThrow(
        `DATA_DIR=${where.dataDir} is in use by process ${process.pid}`,
      )
      await first.close()
      await (await openDatabase(where)).close()
    },
  )
})

describe.runIf(isServer)('openDatabase on a PostgreSQL server', () => {
  it('sets a new database up once, however many processes start at the same time', async () => {
    const { databaseUrl, drop } = await createTestDatabase()
    onTestFinished(drop)

    const databases = await Promise.all([1, 2, 3, 4].map(() => openDatabase({ databaseUrl })))

    expect(await databases[0]?.query('SELECT count(*)::integer AS count FROM orders')).toEqual([
      { count: 4 },
    ])
    for (const database of databases) await database.close()
  })

  it('answers 503 while the server is away and recovers without a restart', async () => {
    const { databaseUrl = '', drop } = await createTestDatabase()
    onTestFinished(drop)
    const proxy = await startBreakableProxy(new URL(databaseUrl))
    const throughProxy = new URL(databaseUrl)
    throughProxy.host = `127.0.0.1:${proxy.port}`
    const server = await startServer({ databaseUrl: throughProxy.href })
    expect((await fetch(`${server.url}/cart`)).status).toBe(200)

    proxy.break()
    for (let call = 0; call < 3; call++)
      expect((await fetch(`${server.url}/cart`)).status).toBe(503)
    proxy.mend()

    expect((await fetch(`${server.url}/cart`)).status).toBe(200)
    await server.close()
    proxy.close()
  })
})

describe('createApp when the database is gone', () => {
  let listener: Listener
  const lines: string[] = []

  beforeAll(async () => {
    const database = await openDatabase(where)
    const app = createTestApp({ database, log: line => lines.push(line) })
    listener = await listen({ port: 0, host: '127.0.0.1', keepAlive: true, answer: app.fetch })
    await database.close()
  })
  afterAll(() => listener.close())

  it.each(['/catalogue', '/cart', '/orders', '/orders/ord_1001', '/health'])(
    '%s answers 503 with a problem that a page may read, and no detail of the database',
    async path => {
      const response = await fetch(listener.url + path, {
        headers: { Origin: 'http://localhost:5173' },
      })

      expect(response.status).toBe(503)
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
      expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After,Date')
      expect(await response.json()).toEqual({
        type: 'https://query-retry.example/problems/database-unavailable',
        status: 503,
        title: 'The shop cannot reach its database',
      })
      expect(lines.at(-1)).toMatch(/^GET \S+: the database cannot be reached \(.+\)$/)
    },
  )

  it('logs neither the idempotency key of a path nor the token', async () => {
    await fetch(`${listener.url}/payments/by-key/s3cret`, {
      headers: { Authorization: 'Bearer t0ken' },
    })

    expect(lines.at(-1)).toMatch(/^GET \/payments\/by-key\/:key: the database cannot be reached/)
    expect(lines.join()).not.toMatch(/s3cret|t0ken/)
  })
})
