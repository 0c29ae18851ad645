import type { Session } from '../database/database.ts'
import type { Answer } from './answer.ts'
import type { Retention } from './retention.ts'

/**
 * The rows behind idempotency keys, and every statement that touches them.
 *
 * A worker owns a row from the statement that gave it the current `epoch` until that number changes;
 * each of its writes names the epoch, so that a worker which slept past its lease writes nothing.
 * All instants are the database's own: `clock_timestamp()`, since `now()` stands still in a
 * transaction and is stale after a wait for a lock; `now()` only where an index has to be used.
 */
export interface RecordRow {
  scope: string
  key: string
  operation: string
  fingerprint: Uint8Array | null
  request: unknown
  phase: 'claimed' | 'started' | 'done' | 'review'
  epoch: number
  effect_key: string
  status: number | null
  headers: Record<string, string> | null
  body: Uint8Array | null
  /** Somebody works on it now. */
  is_leased: boolean
  /** It will be finished, with its client or without. */
  will_resume: boolean
  /** The effect was started longer ago than it may be asked for again. */
  is_past_redrive: boolean
}

/** Names one worker's hold on one row. */
export type Ownership = Pick<RecordRow, 'scope' | 'key' | 'epoch'>

export interface NewRecord {
  scope: string
  key: string
  operation: string
  fingerprint: Uint8Array
  request: unknown
  effectKey: string
}

const COLUMNS = `
  scope, key, operation, fingerprint, request, phase, epoch, effect_key, status, headers, body,
  coalesce(lease_until > clock_timestamp(), false) AS is_leased,
  resume_at IS NOT NULL AS will_resume`

const OWNED = 'scope = $1 AND key = $2 AND epoch = $3'

const AFTER = (parameter: string) => `clock_timestamp() + ${parameter} * interval '1 millisecond'`

const IS_PAST_REDRIVE = (parameter: string) =>
  `coalesce(started_at, claimed_at) < clock_timestamp() - ${parameter} * interval '1 millisecond' AS is_past_redrive`

export class Records {
  readonly #retention: Retention

  constructor(retention: Retention) {
    this.#retention = retention
  }

  async find(session: Session, scope: string, key: string): Promise<RecordRow | undefined> {
    const [row] = await session.query<RecordRow>(
      `SELECT ${COLUMNS}, ${IS_PAST_REDRIVE('$3')} FROM idempotency_records WHERE scope = $1 AND key = $2`,
      [scope, key, this.#retention.redriveMs],
    )
    return row
  }

  /** @returns the row if this call made it; undefined if the key was there already */
  async claim(session: Session, record: NewRecord): Promise<RecordRow | undefined> {
    const { scope, key, operation, fingerprint, request, effectKey } = record
    const [row] = await session.query<RecordRow>(
      `INSERT INTO idempotency_records
              (scope, key, operation, fingerprint, request, effect_key, phase, lease_until, resume_at)
       VALUES ($1, $2, $3, $4, $5::jsonb, $6, 'claimed', ${AFTER('$7')}, ${AFTER('$7')})
       ON CONFLICT (scope, key) DO NOTHING
       RETURNING ${COLUMNS}, false AS is_past_redrive`,
      [
        ...[scope, key, operation, fingerprint, JSON.stringify(request), effectKey],
        this.#retention.leaseMs,
      ],
    )
    return row
  }

  /**
   * Takes a row whose worker has let go of it or slept past its lease.
   *
   * One statement, so that of several callers one wins: the others wait for its row lock, look at
   * the condition again and find a lease that is alive.
   */
  async takeOver(session: Session, record: RecordRow): Promise<RecordRow | undefined> {
    const [row] = await session.query<RecordRow>(
      `UPDATE idempotency_records
          SET epoch = epoch + 1, attempts = attempts + 1,
              lease_until = ${AFTER('$4')}, resume_at = ${AFTER('$4')}, expires_at = NULL
        WHERE ${OWNED} AND phase IN ('claimed', 'started')
          AND (lease_until IS NULL OR lease_until <= clock_timestamp())
       RETURNING ${COLUMNS}, ${IS_PAST_REDRIVE('$5')}`,
      [record.scope, record.key, record.epoch, this.#retention.leaseMs, this.#retention.redriveMs],
    )
    return row
  }

  /** Takes the row that has waited longest to be finished without its client, if there is one. */
  async takeOverAbandoned(session: Session): Promise<RecordRow | undefined> {
    const [row] = await session.query<RecordRow>(
      `UPDATE idempotency_records
          SET epoch = epoch + 1, attempts = attempts + 1,
              lease_until = ${AFTER('$1')}, resume_at = ${AFTER('$1')}
        WHERE (scope, key) = (
                SELECT scope, key FROM idempotency_records
                 WHERE resume_at <= now()
                 ORDER BY resume_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING ${COLUMNS}, ${IS_PAST_REDRIVE('$2')}`,
      [this.#retention.leaseMs, this.#retention.redriveMs],
    )
    return row
  }

  /** From here on the effect may happen. @returns false for a worker that lost the row */
  async start(session: Session, owner: Ownership): Promise<boolean> {
    return isOwner(
      await session.query(
        `UPDATE idempotency_records
            SET phase = 'started', started_at = clock_timestamp(),
                lease_until = ${AFTER('$4')}, resume_at = ${AFTER('$4')}
          WHERE ${OWNED} RETURNING 1`,
        [owner.scope, owner.key, owner.epoch, this.#retention.leaseMs],
      ),
    )
  }

  /** In the transaction of `start`: nothing has begun after all, and the client was told to come back. */
  async postpone(session: Session, owner: Ownership): Promise<void> {
    await session.query(
      `UPDATE idempotency_records
          SET phase = 'claimed', started_at = NULL, lease_until = NULL, resume_at = NULL,
              expires_at = ${AFTER('$4')}
        WHERE ${OWNED}`,
      [owner.scope, owner.key, owner.epoch, this.#retention.recordMs],
    )
  }

  /**
   * Frees the row for the client's next attempt, in whatever phase it is: a worker whose commit was
   * lost on the wire does not know. What is done stays as it is. What has started is due by itself as
   * well, after 1, 2, 4 ... 64 seconds, each drawn from its upper half, so that what failed together
   * does not come back together; and so is a claim that `resumes`.
   */
  async release(session: Session, owner: Ownership, { resumes = false } = {}): Promise<void> {
    await session.query(
      `UPDATE idempotency_records
          SET lease_until = NULL,
              resume_at = CASE WHEN phase = 'started' OR $5::boolean THEN clock_timestamp()
                + power(2, least(attempts - 1, 6)) * (1 + random()) / 2 * interval '1 second' END,
              expires_at = CASE WHEN phase = 'claimed' AND NOT $5::boolean THEN ${AFTER('$4')} END
        WHERE ${OWNED} AND phase IN ('claimed', 'started')`,
      [owner.scope, owner.key, owner.epoch, this.#retention.recordMs, resumes],
    )
  }

  /** A person has to look at it. */
  async putInReview(session: Session, owner: Ownership): Promise<boolean> {
    return isOwner(
      await session.query(
        `UPDATE idempotency_records SET phase = 'review', lease_until = NULL, resume_at = NULL
          WHERE ${OWNED} RETURNING 1`,
        [owner.scope, owner.key, owner.epoch],
      ),
    )
  }

  /** Stores the answer for ever. @returns false for a worker that lost the row: write nothing more */
  async finish(session: Session, owner: Ownership, answer: Answer): Promise<boolean> {
    return isOwner(
      await session.query(
        `UPDATE idempotency_records
            SET phase = 'done', lease_until = NULL, resume_at = NULL, done_at = clock_timestamp(),
                status = $4, headers = $5::jsonb, body = $6,
                body_expires_at = ${AFTER('$7')}, expires_at = ${AFTER('$8')}
          WHERE ${OWNED} RETURNING 1`,
        [
          ...[owner.scope, owner.key, owner.epoch],
          ...[answer.status, JSON.stringify(answer.headers), answer.body],
          ...[this.#retention.answerMs, this.#retention.recordMs],
        ],
      ),
    )
  }

  /**
   * Drops what is past its time: answers, then keys that are done or wait for a client who has not
   * come back. What has started stays, however old.
   *
   * The instant is looked at again in the row itself: one that was just taken over has none.
   *
   * @returns how many rows it touched, at most twice the limit
   */
  async reap(session: Session, limit: number): Promise<number> {
    const emptied = await session.query(
      `UPDATE idempotency_records SET body = NULL, request = NULL
        WHERE (scope, key) IN (SELECT scope, key FROM idempotency_records
                WHERE body IS NOT NULL AND body_expires_at <= now() LIMIT $1)
          AND body_expires_at <= now()
       RETURNING 1`,
      [limit],
    )
    const dropped = await session.query(
      `DELETE FROM idempotency_records
        WHERE (scope, key) IN (SELECT scope, key FROM idempotency_records
                WHERE expires_at <= now() LIMIT $1)
          AND expires_at <= now()
       RETURNING 1`,
      [limit],
    )
    return emptied.length + dropped.length
  }

  /**
   * Burns a key that has begun nothing, known or not: whatever comes under it later gets `answer`.
   * The new epoch fences a worker that has claimed it and not started.
   *
   * @returns false where there is something to burn no more, or another operation has the key
   */
  async fence(
    session: Session,
    key: { scope: string; key: string; operation: string; effectKey: string },
    answer: Answer,
  ): Promise<boolean> {
    return isOwner(
      await session.query(
        `INSERT INTO idempotency_records AS record
                (scope, key, operation, effect_key, phase, status, headers, body,
                 done_at, body_expires_at, expires_at)
         VALUES ($1, $2, $3, $4, 'done', $5, $6::jsonb, $7,
                 clock_timestamp(), ${AFTER('$8')}, ${AFTER('$9')})
         ON CONFLICT (scope, key) DO UPDATE
            SET phase = 'done', epoch = record.epoch + 1, lease_until = NULL, resume_at = NULL,
                status = excluded.status, headers = excluded.headers, body = excluded.body,
                done_at = excluded.done_at, body_expires_at = excluded.body_expires_at,
                expires_at = excluded.expires_at
          WHERE record.phase = 'claimed' AND record.operation = excluded.operation
         RETURNING 1`,
        [
          ...[key.scope, key.key, key.operation, key.effectKey],
          ...[answer.status, JSON.stringify(answer.headers), answer.body],
          ...[this.#retention.answerMs, this.#retention.recordMs],
        ],
      ),
    )
  }
}

function isOwner(rows: readonly object[]): boolean {
  return rows.length > 0
}
