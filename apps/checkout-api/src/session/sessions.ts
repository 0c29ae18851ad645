import type { Session as DatabaseSession } from '../database/database.ts'
import { hashSessionToken, mintSessionToken } from './session-token.ts'
import { toVisitor, type Visitor, type VisitorRow } from './visitor.ts'

/** A visitor who has just logged in, and the token to prove it with for 12 hours. */
export interface Login {
  token: string
  visitor: Visitor
}

/**
 * Logs a visitor in. Several logins of one visitor live side by side; those that have expired, of
 * whomever, are removed on the way.
 *
 * @returns undefined where there is no such visitor
 */
export async function startSession(
  database: DatabaseSession,
  visitorId: string,
): Promise<Login | undefined> {
  // PostgreSQL's text cannot hold NUL: such an id names nobody, and asking would be an error.
  if (visitorId.includes('\0')) return undefined
  const token = mintSessionToken()
  // Both instants are the database's: several servers on it need not agree on the time.
  const [row] = await database.query<VisitorRow>(
    `WITH expired AS (DELETE FROM sessions WHERE expires_at <= now()),
          known AS (SELECT id, name_en, name_ko FROM visitors WHERE id = $2),
          started AS (INSERT INTO sessions (token_hash, visitor_id, expires_at)
                      SELECT $1, id, now() + interval '12 hours' FROM known)
     SELECT id, name_en, name_ko FROM known`,
    [hashSessionToken(token), visitorId],
  )
  return row && { token, visitor: toVisitor(row) }
}

/** Who a token stands for: one look-up by primary key. Undefined where it is unknown or has expired. */
export async function findVisitor(
  database: DatabaseSession,
  token: string,
): Promise<Visitor | undefined> {
  const [row] = await database.query<VisitorRow>(
    `SELECT visitor.id, visitor.name_en, visitor.name_ko
       FROM sessions AS session JOIN visitors AS visitor ON visitor.id = session.visitor_id
      WHERE session.token_hash = $1 AND session.expires_at > now()`,
    [hashSessionToken(token)],
  )
  return row && toVisitor(row)
}

/** Makes a token worthless. One that is worthless already stays so. */
export async function endSession(database: DatabaseSession, token: string): Promise<void> {
  await database.query('DELETE FROM sessions WHERE token_hash = $1', [hashSessionToken(token)])
}
