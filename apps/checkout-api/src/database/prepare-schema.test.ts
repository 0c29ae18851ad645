import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'
import type { Database } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { connectPostgres } from './postgres.ts'
import { prepareSchema } from './prepare-schema.ts'

let database: Database
let close: () => Promise<void>

const log = () => undefined

beforeAll(async () => {
  const { databaseUrl, initialCluster, drop } = await createTestDatabase()
  database = databaseUrl
    ? connectPostgres(databaseUrl, log)
    : await openEmbedded(undefined, log, initialCluster)
  close = () => database.close().then(drop)
})
afterAll(() => close())

describe('prepareSchema', () => {
  it('gives a shop that was set up before there were visitors the visitors, and its orders to mina', async () => {
    await database.script(
      await readFile(new URL('./migrations/0001-shop.sql', import.meta.url), 'utf8'),
    )
    await database.script(`
      CREATE TABLE setup_steps (name text PRIMARY KEY, done_at timestamptz NOT NULL DEFAULT now());
      INSERT INTO setup_steps (name) VALUES ('0001-shop.sql'), ('seed: shop');
      INSERT INTO orders VALUES ('ord_1', 'open', 9000, 'KRW', '2026-01-14T09:12:00Z')`)

    await prepareSchema(database)

    expect(await database.query('SELECT id, name_en, name_ko FROM visitors ORDER BY id')).toEqual([
      { id: 'jun', name_en: 'Jun', name_ko: '준' },
      { id: 'mina', name_en: 'Mina', name_ko: '미나' },
    ])
    expect(await database.query('SELECT id, placed_by FROM orders')).toEqual([
      { id: 'ord_1', placed_by: 'mina' },
    ])
  })

  it('takes no order that says of nobody that they placed it', async () => {
    const anonymous = database.query(
      `INSERT INTO orders (id, status, amount, currency, placed_at)
       VALUES ('ord_2', 'open', 9000, 'KRW', now())`,
    )

    // 23502: not_null_violation.
    await expect(anonymous).rejects.toMatchObject({ code: '23502' })
  })
})
