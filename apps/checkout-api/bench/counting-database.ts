import type { Database, Session } from '../src/database/database.ts'

/** A database that counts what goes to the server and back, BEGIN and COMMIT included. */
export function countRoundTrips(database: Database): Database & { roundTrips: number } {
  const counted = {
    ...database,
    roundTrips: 0,
    query<Row extends object>(sql: string, parameters?: readonly unknown[]) {
      counted.roundTrips += 1
      return database.query<Row>(sql, parameters)
    },
    transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
      counted.roundTrips += 2
      return database.transaction(session =>
        work({
          ...session,
          query<Row extends object>(sql: string, parameters?: readonly unknown[]) {
            counted.roundTrips += 1
            return session.query<Row>(sql, parameters)
          },
        }),
      )
    },
  }
  return counted
}
