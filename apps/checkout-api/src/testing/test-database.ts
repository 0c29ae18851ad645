import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Database } from '../database/database.ts'
import { openDatabase } from '../database/open-database.ts'
import { redactPassword } from '../database/redact-password.ts'
import { innermostMessage } from '../innermost-message.ts'
import { SettingError } from '../setting-error.ts'
import { loadEmptyCluster } from './empty-cluster.ts'

/** Where a test's database is, in the words of `openDatabase`. */
interface TestDatabase {
  databaseUrl: string | undefined
  initialCluster: Blob | undefined
  drop(): Promise<void>
}

/**
 * A database for one test file: on the server at `TEST_DATABASE_URL` one of its own, which `drop`
 * removes; without that variable PGlite in memory, from a cluster that is created already.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL
  if (!serverUrl) {
    const initialCluster = await loadEmptyCluster()
    return { databaseUrl: undefined, initialCluster, drop: async () => undefined }
  }

  const { url, drop } = await createDatabaseOn(serverUrl)
  return { databaseUrl: url, initialCluster: undefined, drop }
}

/**
 * A new and empty database on a PostgreSQL server, and how to drop it again.
 *
 * @throws SettingError where none can be created there
 */
export async function createDatabaseOn(serverUrl: string) {
  const name = `checkout_test_${randomUUID().replaceAll('-', '')}`
  try {
    await administer(serverUrl, `CREATE DATABASE ${name}`)
  } catch (error) {
    throw new SettingError(
      'DATABASE_URL',
      redactPassword(serverUrl),
      `cannot be used (${innermostMessage(error)})`,
      'Start that server, and give a user who may create databases.',
      error,
    )
  }
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    // FORCE: a test that leaves a connection behind should fail by its own words, not by this.
    drop: () => administer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

/** The same, opened: with schema and seed, for a test that looks behind the routes. */
export async function openTestDatabase(): Promise<{
  database: Database
  close(): Promise<void>
}> {
  const { drop, ...where } = await createTestDatabase()
  try {
    const database = await openDatabase(where)
    return { database, close: () => database.close().then(drop) }
  } catch (error) {
    await drop()
    throw error
  }
}

async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
