import { innermostMessage } from '../innermost-message.ts'
import { SettingError } from '../setting-error.ts'
import type { Database } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { connectPostgres } from './postgres.ts'
import { prepareSchema } from './prepare-schema.ts'
import { redactPassword } from './redact-password.ts'

export interface DatabaseOptions {
  /** A PostgreSQL server. Wins over `dataDir`. */
  databaseUrl?: string | undefined
  /** Folder of the embedded database; without it and without `databaseUrl` data lives in memory. */
  dataDir?: string | undefined
  /** What a database in memory starts from, in place of creating one: for tests, which open many. */
  initialCluster?: Blob | undefined
  log?: ((line: string) => void) | undefined
}

/**
 * Opens the database, brings its schema up to date and fills it the first time.
 *
 * @throws SettingError when the server cannot be used or the folder is taken
 */
export async function openDatabase(options: DatabaseOptions = {}): Promise<Database> {
  const { databaseUrl, dataDir, initialCluster, log = () => undefined } = options
  if (databaseUrl === undefined) {
    const database = await openEmbedded(dataDir, log, initialCluster)
    return prepared(database)
  }
  const address = redactPassword(databaseUrl)
  log(`Using the PostgreSQL server at ${address}`)
  try {
    return await prepared(connectPostgres(databaseUrl, log))
  } catch (error) {
    throw new SettingError(
      'DATABASE_URL',
      address,
      `cannot be used (${innermostMessage(error)})`,
      'Start that server and check user, password and database name, or leave DATABASE_URL out for the embedded database.',
      error,
    )
  }
}

async function prepared(database: Database): Promise<Database> {
  try {
    await prepareSchema(database)
    return database
  } catch (error) {
    await database.close().catch(() => undefined)
    throw error
  }
}
