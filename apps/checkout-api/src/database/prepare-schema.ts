import { readdir, readFile } from 'node:fs/promises'
import type { Database, Session } from './database.ts'
import { seedShop } from './seed/seed-shop.ts'

const MIGRATIONS = new URL('./migrations/', import.meta.url)

/** Any number will do, as long as nothing else in the database locks on it. */
const LOCK_ID = 72_617_001

/**
 * Runs the migrations that this database has not seen, in order of their names, then the seed if it
 * never ran. All or nothing, in one transaction.
 *
 * Two processes that start together on one server take turns: the second waits at the lock and then
 * finds everything done. The seed is recorded like a migration, so rows that were deleted on purpose
 * do not come back.
 */
export async function prepareSchema(database: Database): Promise<void> {
  await database.transaction(async session => {
    await session.query('SELECT pg_advisory_xact_lock($1)', [LOCK_ID])
    await session.script(`
      CREATE TABLE IF NOT EXISTS setup_steps (
        name text PRIMARY KEY,
        done_at timestamptz NOT NULL DEFAULT now()
      )`)
    for (const name of (await readdir(MIGRATIONS)).filter(file => file.endsWith('.sql')).sort()) {
      await runOnce(session, name, async () =>
        session.script(await readFile(new URL(name, MIGRATIONS), 'utf8')),
      )
    }
    await runOnce(session, 'seed: shop', () => seedShop(session))
  })
}

async function runOnce(session: Session, name: string, step: () => Promise<void>): Promise<void> {
  const done = await session.query('SELECT 1 FROM setup_steps WHERE name = $1', [name])
  if (done.length > 0) return
  await step()
  await session.query('INSERT INTO setup_steps (name) VALUES ($1)', [name])
}
