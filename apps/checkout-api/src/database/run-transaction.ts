import type { Session } from './database.ts'

/**
 * Runs `work` inside a transaction that is already begun, and rejects if any of its statements
 * failed, even where `work` caught that and went on.
 *
 * PostgreSQL answers COMMIT in a failed transaction with a silent ROLLBACK, not with an error:
 * without this the caller would be told that everything is stored when nothing is.
 */
export async function runTransaction<T>(
  session: Session,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  let failure: { error: unknown } | undefined
  const note = (error: unknown): never => {
    failure ??= { error }
    throw error
  }
  const result = await work({
    query: (sql, parameters) => session.query<never>(sql, parameters).catch(note),
    script: sql => session.script(sql).catch(note),
  })
  if (failure) throw failure.error
  return result
}
