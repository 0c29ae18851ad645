import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PGlite, Transaction } from '@electric-sql/pglite'
import { lockDataFolder } from './data-folder-lock.ts'
import { type Database, DatabaseUnavailableError, type Session } from './database.ts'
import { runTransaction } from './run-transaction.ts'

/**
 * PGlite (PostgreSQL in WebAssembly) behind `Database`.
 *
 * @param dataDir - the folder that keeps the data; undefined keeps it in memory
 * @param initialCluster - what a database in memory starts from, as PGlite's `dumpDataDir` gives it;
 * undefined: it is created, which takes seconds
 * @throws SettingError when another process has the folder open, or it cannot be written
 */
export async function openEmbedded(
  dataDir: string | undefined,
  log: (line: string) => void,
  initialCluster?: Blob,
): Promise<Database> {
  const lock = dataDir === undefined ? undefined : await lockDataFolder(dataDir)
  try {
    const pglite = await bootPglite(dataDir, log, initialCluster)
    return {
      ...sessionOn(pglite, pglite),
      engine: 'pglite',
      transaction: work =>
        guarded(pglite, () =>
          pglite.transaction(transaction => runTransaction(sessionOn(transaction, pglite), work)),
        ),
      async close() {
        if (!pglite.closed) await pglite.close()
        await lock?.release()
      },
    }
  } catch (error) {
    await lock?.release()
    throw error
  }
}

async function bootPglite(
  dataDir: string | undefined,
  log: (line: string) => void,
  initialCluster: Blob | undefined,
) {
  // Loaded here so that a process on a PostgreSQL server never pays for the WebAssembly module.
  const { PGlite } = await import('@electric-sql/pglite')
  if (dataDir === undefined)
    return PGlite.create(initialCluster ? { loadDataDir: initialCluster } : {})
  // A folder of its own: PGlite wants it empty the first time, and the lock lies beside it.
  const folder = join(dataDir, 'postgres')
  const isFirstStart = !(await stat(join(folder, 'PG_VERSION')).catch(() => undefined))
  log(
    isFirstStart
      ? `Creating the embedded database in ${dataDir} (takes some seconds, this once)`
      : `Opening the embedded database in ${dataDir}`,
  )
  await mkdir(folder, { recursive: true })
  return PGlite.create(folder)
}

function sessionOn(connection: PGlite | Transaction, pglite: PGlite): Session {
  return {
    query: <Row extends object>(sql: string, parameters: readonly unknown[] = []) =>
      guarded(pglite, async () => (await connection.query<Row>(sql, [...parameters])).rows),
    script: sql =>
      guarded(pglite, async () => {
        await connection.exec(sql)
      }),
  }
}

async function guarded<T>(pglite: PGlite, work: () => Promise<T>): Promise<T> {
  if (pglite.closed) throw new DatabaseUnavailableError(new Error('PGlite is closed'))
  try {
    return await work()
  } catch (error) {
    if (pglite.closed && !(error instanceof DatabaseUnavailableError))
      throw new DatabaseUnavailableError(error)
    throw error
  }
}
