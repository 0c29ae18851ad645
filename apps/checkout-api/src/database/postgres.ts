import pg from 'pg'
import { type Database, DatabaseUnavailableError, type Session } from './database.ts'
import { runTransaction } from './run-transaction.ts'

/**
 * A PostgreSQL server behind `Database`. Connects on first use; a lost connection is replaced by
 * the next call.
 *
 * @param log - told about connections that break while idle
 */
export function connectPostgres(databaseUrl: string, log: (line: string) => void): Database {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'checkout-api',
    max: 10,
    // A server that vanishes without closing its sockets must become a 503, not a wait for ever.
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    // A process that is frozen in a transaction must not keep its locks from those who go on without it.
    idle_in_transaction_session_timeout: 5_000,
  })
  // Without a listener a connection that breaks while idle would end the process.
  pool.on('error', error => log(`A database connection broke: ${error.message}`))
  // For as long as it lives: the pool listens only to idle connections, and whoever waits for one
  // runs a moment after it is theirs. Between the two a connection may break as well.
  pool.on('connect', client => client.on('error', ignore))

  return {
    ...sessionOn(pool),
    engine: 'postgresql',
    async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
      const client = await pool.connect().catch(rethrow)
      const session = sessionOn(client)
      let broken: unknown
      try {
        await session.script('BEGIN')
        const result = await runTransaction(session, work)
        await session.script('COMMIT')
        return result
      } catch (error) {
        await session.script('ROLLBACK').catch(rollbackError => {
          broken = rollbackError
        })
        throw error
      } finally {
        client.release(broken !== undefined)
      }
    },
    async close() {
      if (!pool.ending) await pool.end()
    },
  }
}

function ignore(): void {}

function sessionOn(connection: pg.Pool | pg.PoolClient): Session {
  return {
    async query<Row extends object>(sql: string, parameters: readonly unknown[] = []) {
      const { rows } = await connection.query(sql, [...parameters]).catch(rethrow)
      return rows as Row[]
    },
    async script(sql) {
      await connection.query(sql).catch(rethrow)
    },
  }
}

/**
 * 08: connection, 53: out of resources, 57P: shutting down or starting (SQLSTATE classes); 25006: a
 * server that only reads, as one that was just demoted does; 57014: the server's own time limit.
 */
const UNAVAILABLE_SQLSTATE = /^(08|53|57P|25006|57014)/

function rethrow(error: unknown): never {
  if (error instanceof pg.DatabaseError) {
    // FATAL ends the connection, whatever its code: a password that was changed, a database closed.
    if (error.severity === 'FATAL' || UNAVAILABLE_SQLSTATE.test(error.code ?? ''))
      throw new DatabaseUnavailableError(error)
    throw error
  }
  // What did not come from the server as an answer is about reaching it, unless it is our mistake.
  if (error instanceof TypeError || error instanceof RangeError) throw error
  throw new DatabaseUnavailableError(error)
}
