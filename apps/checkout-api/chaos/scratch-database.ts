import pg from 'pg'
import { createDatabaseOn } from '../src/testing/test-database.ts'
import type { OrderPlan } from './plan.ts'

export interface ScratchDatabase {
  url: string
  client: pg.Client
  drop(): Promise<void>
}

/** A database of this run's own on that server. */
export async function createScratchDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const { url, drop } = await createDatabaseOn(serverUrl)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    url,
    client,
    async drop() {
      await client.end()
      await drop()
    },
  }
}

/**
 * Lays out the orders, and a notebook in which the database writes down whenever a key changes
 * hands: nobody outside a worker can see its completer at work. Nothing else is changed.
 */
export async function prepareOrders(
  client: pg.Client,
  orders: readonly OrderPlan[],
): Promise<void> {
  await client.query(
    `INSERT INTO orders (id, status, amount, currency, placed_by, placed_at)
     SELECT id, 'open', amount, currency, placed_by, clock_timestamp()
       FROM unnest($1::text[], $2::integer[], $3::text[], $4::text[]) AS t (id, amount, currency, placed_by)`,
    [
      orders.map(({ id }) => id),
      orders.map(({ amount }) => amount),
      orders.map(({ currency }) => currency),
      orders.map(({ principal }) => principal),
    ],
  )
  await client.query(`
    CREATE TABLE chaos_changes_of_hands (by text NOT NULL);
    CREATE FUNCTION chaos_note_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO chaos_changes_of_hands VALUES (
        CASE WHEN NEW.phase = 'done' THEN 'fence'
             WHEN current_query() LIKE '%SKIP LOCKED%' THEN 'completer'
             ELSE 'client' END);
      RETURN NULL;
    END $$;
    CREATE TRIGGER chaos_note_change AFTER UPDATE ON idempotency_records
      FOR EACH ROW WHEN (NEW.epoch > OLD.epoch) EXECUTE FUNCTION chaos_note_change()`)
}

/** What the notebook holds: how often keys came into whose hands. */
export async function countChangesOfHands(
  client: pg.Client,
): Promise<{ by: 'client' | 'completer' | 'fence'; count: number }[]> {
  const { rows } = await client.query(
    'SELECT by, count(*)::integer FROM chaos_changes_of_hands GROUP BY by',
  )
  return rows
}

/** Nothing is at work any more, nor will be by itself. */
export async function isSettled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM idempotency_records WHERE phase = 'started' OR resume_at IS NOT NULL
                       OR lease_until > clock_timestamp())
         OR EXISTS (SELECT FROM charges WHERE status = 'pending') AS is_busy`,
  )
  return !rows[0].is_busy
}

/** As a restart of the database server does, or an operator. @returns how many connections ended */
export async function disconnectWorkers(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  return rowCount ?? 0
}
