import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import { openTestDatabase } from '../../testing/test-database.ts'
import { jsonAnswer } from '../answer.ts'
import type { Checkpoint } from '../checkpoint.ts'
import { Idempotency } from '../idempotency.ts'
import type { Operation } from '../operation.ts'
import type { Reply } from '../recall.ts'
import { DEFAULT_RETENTION } from '../retention.ts'

/** Sending a parcel: an operation that has nothing to do with payments. */
export interface Parcel {
  to: string
}

/**
 * Performs what the parcels ask for, once for each effect key, as everybody has to be who performs
 * effects; and fails on demand.
 */
export class PostOffice {
  /** By effect key: what was sent, once. */
  readonly sent = new Map<string, string>()
  /** The effect key of every call. */
  readonly asked: string[] = []
  isRoadBlocked = false
  losesAnswers = false
  whileSending: () => Promise<unknown> = async () => undefined

  async send(effectKey: string, to: string): Promise<string> {
    this.asked.push(effectKey)
    await this.whileSending()
    if (this.isRoadBlocked) throw new Error('the road is blocked')
    this.sent.set(effectKey, to)
    if (this.losesAnswers) throw new Error('no answer')
    return `sent to ${to}`
  }
}

/** To `nowhere` is refused for good, to an `island` nothing goes today. */
function parcelOperation(office: PostOffice): Operation<Parcel, string> {
  return {
    name: 'POST /parcels',
    async begin(session, { input, effectKey }) {
      if (input.to === 'nowhere')
        return { kind: 'refused', answer: jsonAnswer(404, 'no such address') }
      if (input.to === 'island')
        return { kind: 'postponed', answer: jsonAnswer(409, 'no ship today') }
      await session.query("INSERT INTO parcels VALUES ($1, $2, 'pending')", [effectKey, input.to])
      return { kind: 'begun' }
    },
    perform: ({ input, effectKey }) => office.send(effectKey, input.to),
    find: async ({ input, effectKey }) =>
      office.sent.has(effectKey) ? `sent to ${input.to}` : undefined,
    answer: (_, outcome) => jsonAnswer(201, outcome, { Link: '</parcels>; rel="related"' }),
    async settle(session, { effectKey }) {
      await session.query("UPDATE parcels SET state = 'sent' WHERE effect_key = $1", [effectKey])
    },
  }
}

/** The layer on a database of its own, with parcels to send. `reset` before each test. */
export class ParcelLayer {
  readonly database: Database
  readonly close: () => Promise<void>
  lines: string[] = []
  office = new PostOffice()
  operation = parcelOperation(this.office)
  idempotency: Idempotency

  private constructor(database: Database, close: () => Promise<void>) {
    this.database = database
    this.close = close
    this.idempotency = this.#open()
  }

  static async open(): Promise<ParcelLayer> {
    const { database, close } = await openTestDatabase()
    await database.script(
      'CREATE TABLE parcels (effect_key uuid PRIMARY KEY, sent_to text, state text)',
    )
    return new ParcelLayer(database, close)
  }

  async reset(): Promise<void> {
    await this.database.script('TRUNCATE idempotency_records, parcels')
    this.lines = []
    this.office = new PostOffice()
    this.operation = parcelOperation(this.office)
    this.idempotency = this.#open()
  }

  #open(): Idempotency {
    return new Idempotency({
      database: this.database,
      retention: DEFAULT_RETENTION,
      operations: [this.operation],
      log: line => this.lines.push(line),
    })
  }

  send(key: string, to = 'mina', scope = 'mina'): Promise<Reply> {
    return this.idempotency.execute(this.operation, { scope, key, input: { to } })
  }

  lookUp(key: string, { scope = 'mina', operation = 'POST /parcels' } = {}) {
    return this.idempotency.lookUp({ scope, key, operation })
  }

  /** A worker that stops at a checkpoint, and goes on when told. Resolves once it stands there. */
  async freezeAt(checkpoint: Checkpoint, key: string, to = 'mina') {
    let thaw: () => void = () => undefined
    const thawed = new Promise<void>(resolve => {
      thaw = resolve
    })
    let reply: Promise<Reply> | undefined
    await new Promise<void>((resolve, reject) => {
      reply = this.idempotency.execute(
        this.operation,
        { scope: 'mina', key, input: { to } },
        async reached => {
          if (reached !== checkpoint) return
          resolve()
          await thawed
        },
      )
      reply.catch(reject)
    })
    return {
      thaw(): Promise<Reply> {
        thaw()
        return reply as Promise<Reply>
      },
    }
  }

  /** Ends every lease and every wait, as if its worker had died long ago. */
  async expireLeases(): Promise<void> {
    await this.database.query(
      `UPDATE idempotency_records
          SET lease_until = CASE WHEN lease_until IS NOT NULL THEN clock_timestamp() END,
              resume_at = clock_timestamp()
        WHERE resume_at IS NOT NULL`,
    )
  }

  /** Moves a row into the past, with every instant in it. */
  async age(key: string, days: number): Promise<void> {
    await this.database.query(
      `UPDATE idempotency_records
          SET claimed_at = claimed_at - $2 * interval '1 day',
              started_at = started_at - $2 * interval '1 day',
              body_expires_at = body_expires_at - $2 * interval '1 day',
              expires_at = expires_at - $2 * interval '1 day'
        WHERE key = $1`,
      [key, days],
    )
  }

  async rowOf(key: string): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.database.query<Record<string, unknown>>(
      'SELECT * FROM idempotency_records WHERE key = $1',
      [key],
    )
    return row
  }
}

export const newKey = (): string => randomUUID()

export const textOf = ({ body }: { body: Uint8Array }) => JSON.parse(Buffer.from(body).toString())

/** The slug of a problem's type. */
export const typeOf = (reply: Reply): string | undefined => textOf(reply).type?.split('/').at(-1)
