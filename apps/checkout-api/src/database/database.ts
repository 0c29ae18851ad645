/** Where SQL runs: the database itself, or one transaction of it. */
export interface Session {
  /**
   * Runs one statement with `$1`, `$2`... parameters.
   *
   * @returns the rows; integers as numbers, `timestamptz` as Date, under both engines
   * @throws DatabaseUnavailableError when the database cannot be reached
   */
  query<Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  /** Runs several statements without parameters, as migrations need. */
  script(sql: string): Promise<void>
}

/**
 * The one thing routes know of storage. PGlite and a PostgreSQL server stand behind the same
 * interface, so what is tested on one is what runs on the other.
 */
export interface Database extends Session {
  readonly engine: 'pglite' | 'postgresql'
  /**
   * Commits when `work` resolves; rolls back when it rejects or one of its statements failed.
   *
   * Use only the session handed to `work` inside it: PGlite has a single connection, and a query
   * on the database itself would wait for the transaction that waits for it.
   */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The database cannot be reached now; asking again later may work. The driver's error is `cause`. */
export class DatabaseUnavailableError extends Error {
  readonly code = 'database-unavailable'

  constructor(cause: unknown) {
    super('the database cannot be reached', { cause })
    this.name = 'DatabaseUnavailableError'
  }
}
