import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../database/database.ts'
import { openTestDatabase } from '../testing/test-database.ts'
import { jsonAnswer } from './answer.ts'
import type { Checkpoint } from './checkpoint.ts'
import { Idempotency } from './idempotency.ts'
import type { AtomicOperation, Operation } from './operation.ts'
import type { Reply } from './recall.ts'
import { DEFAULT_RETENTION, type Retention } from './retention.ts'

/**
 * The layer with an operation that has nothing to do with payments: sending a parcel. The post office
 * is idempotent by effect key, as everybody who performs effects has to be.
 */
interface Parcel {
  to: string
}

let database: Database
let close: () => Promise<void>

beforeAll(async () => {
  ;({ database, close } = await openTestDatabase())
  await database.script(
    'CREATE TABLE parcels (effect_key uuid PRIMARY KEY, sent_to text, state text)',
  )
})
afterAll(() => close())

let lines: string[]
let office: PostOffice
let idempotency: Idempotency
beforeEach(async () => {
  await database.script('TRUNCATE idempotency_records, parcels')
  lines = []
  office = new PostOffice()
  idempotency = openLayer()
})

class PostOffice {
  /** By effect key: what was sent, once. */
  readonly sent = new Map<string, string>()
  readonly asked: string[] = []
  isRoadBlocked = false
  losesAnswers = false
  hasForgottenKeys = false
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

const sendParcel: Operation<Parcel, string> = {
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

function openLayer(retention: Partial<Retention> = {}): Idempotency {
  return new Idempotency({
    database,
    retention: { ...DEFAULT_RETENTION, ...retention },
    operations: [sendParcel],
    log: line => lines.push(line),
  })
}

const newKey = () => randomUUID()
const send = (key: string, to = 'mina', scope = 'mina', on = idempotency) =>
  on.execute(sendParcel, { scope, key, input: { to } })

const textOf = ({ body }: { body: Uint8Array }) => JSON.parse(Buffer.from(body).toString())
const typeOf = (reply: Reply) => textOf(reply).type?.split('/').at(-1)

/** Ends every lease as if its worker had died long ago. */
const expireLeases = () =>
  database.query(`UPDATE idempotency_records
       SET lease_until = clock_timestamp() - interval '1 second',
           resume_at = clock_timestamp() - interval '1 second'
     WHERE lease_until IS NOT NULL OR resume_at IS NOT NULL`)

async function rowOf(key: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await database.query<Record<string, unknown>>(
    'SELECT * FROM idempotency_records WHERE key = $1',
    [key],
  )
  return row
}

/** A worker that stops at a checkpoint, and goes on when told. */
function startFrozenAt(checkpoint: Checkpoint, key: string, to = 'mina') {
  let thaw: () => void = () => undefined
  const thawed = new Promise<void>(resolve => {
    thaw = resolve
  })
  let isFrozen: () => void = () => undefined
  const frozen = new Promise<void>(resolve => {
    isFrozen = resolve
  })
  const reply = idempotency.execute(
    sendParcel,
    { scope: 'mina', key, input: { to } },
    async reached => {
      if (reached !== checkpoint) return
      isFrozen()
      await thawed
    },
  )
  return { frozen, thaw, reply }
}

describe('execute', () => {
  it('executes the first request and repeats its answer, byte for byte, ever after', async () => {
    const key = newKey()

    const first = await send(key)
    const second = await send(key)

    expect(first).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
    expect(textOf(first)).toBe('sent to mina')
    expect(second).toMatchObject({ status: 201, idempotencyStatus: 'replayed' })
    expect(Buffer.compare(first.body, second.body)).toBe(0)
    expect(second.headers).toEqual(first.headers)
    expect(office.asked).toHaveLength(1)
  })

  it('keeps the same key of another principal apart', async () => {
    const key = newKey()

    await send(key, 'mina', 'mina')
    const other = await send(key, 'jun', 'jun')

    expect(textOf(other)).toBe('sent to jun')
    expect(office.asked).toHaveLength(2)
  })

  it('refuses the key with another input, and leaves the original alone', async () => {
    const key = newKey()
    await send(key, 'mina')
    const before = await rowOf(key)

    const wrong = await send(key, 'jun')

    expect(wrong).toMatchObject({ status: 422 })
    expect(typeOf(wrong)).toBe('key-mismatch')
    expect(wrong.idempotencyStatus).toBeUndefined()
    expect(await rowOf(key)).toEqual(before)
  })

  it('answers "in progress" while another worker has the key, and 422 to another input', async () => {
    const key = newKey()
    const worker = startFrozenAt('claimed', key)
    await worker.frozen

    const same = await send(key)
    const other = await send(key, 'jun')

    expect(same.status).toBe(409)
    expect(typeOf(same)).toBe('request-in-progress')
    expect(same.headers['Retry-After']).toBe('1')
    expect(typeOf(other)).toBe('key-mismatch')
    worker.thaw()
    expect(await worker.reply).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
  })

  it('stores a refusal for good', async () => {
    const key = newKey()

    expect(await send(key, 'nowhere')).toMatchObject({
      status: 404,
      idempotencyStatus: 'completed',
    })
    expect(await send(key, 'nowhere')).toMatchObject({ status: 404, idempotencyStatus: 'replayed' })
    expect(office.asked).toEqual([])
  })

  it('stores nothing where the operation is postponed: the same key may ask again', async () => {
    const key = newKey()

    const postponed = await send(key, 'island')

    expect(postponed).toMatchObject({ status: 409 })
    expect(postponed.idempotencyStatus).toBeUndefined()
    expect(await rowOf(key)).toMatchObject({ phase: 'claimed', lease_until: null, resume_at: null })
    expect(await send(key, 'island')).toMatchObject({ status: 409 })
  })

  it('answers "outcome unknown" where performing failed, and performs under the same effect key next', async () => {
    const key = newKey()
    office.losesAnswers = true

    const unknown = await send(key)
    office.losesAnswers = false
    const settled = await send(key)

    expect(unknown.status).toBe(503)
    expect(typeOf(unknown)).toBe('outcome-unknown')
    expect(unknown.headers['Retry-After']).toBe('2')
    expect(settled).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
    expect(office.asked).toHaveLength(2)
    expect(new Set(office.asked).size).toBe(1)
    expect(office.sent.size).toBe(1)
  })

  it('performs outside any transaction: the row is committed before the effect is asked for', async () => {
    const key = newKey()
    let seen: Record<string, unknown> | undefined
    office.whileSending = async () => {
      // On the embedded database this would wait for ever inside a transaction.
      seen = await rowOf(key)
    }

    await send(key)

    expect(seen).toMatchObject({ phase: 'started' })
  })

  it('frees the key where beginning failed, and says what failed', async () => {
    const key = newKey()
    const broken = {
      ...sendParcel,
      begin: async () => {
        throw new Error('out of labels')
      },
    }

    const attempt = idempotency.execute(broken, { scope: 'mina', key, input: { to: 'mina' } })

    await expect(attempt).rejects.toThrow('out of labels')
    expect(await rowOf(key)).toMatchObject({ phase: 'claimed', lease_until: null })
    expect(await send(key)).toMatchObject({ status: 201 })
  })

  it('answers "outcome unknown" where the answer could not be stored, and finishes later', async () => {
    const key = newKey()
    const broken = {
      ...sendParcel,
      settle: async () => {
        throw new Error('disk full')
      },
    }

    const unknown = await idempotency.execute(broken, {
      scope: 'mina',
      key,
      input: { to: 'mina' },
    })

    expect(typeOf(unknown)).toBe('outcome-unknown')
    expect(lines.join()).toContain('disk full')
    expect(await rowOf(key)).toMatchObject({ phase: 'started', lease_until: null, body: null })
    expect(await send(key)).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
    expect(office.sent.size).toBe(1)
  })

  it('writes no key to the log, whatever goes wrong', async () => {
    const key = newKey()
    office.isRoadBlocked = true

    await send(key)

    const row = await rowOf(key)
    expect(lines.join('\n')).toContain('the road is blocked')
    expect(lines.join('\n')).not.toContain(key)
    expect(lines.join('\n')).not.toContain(row?.effect_key)
  })
})

describe('a worker frozen past its lease', () => {
  it.each(['claimed', 'started', 'performed'] as const)(
    'at %s: wakes up fenced, and both callers read the same answer',
    async checkpoint => {
      const key = newKey()
      const frozen = startFrozenAt(checkpoint, key)
      await frozen.frozen
      await expireLeases()

      const taker = await send(key)
      frozen.thaw()
      const woken = await frozen.reply

      expect(taker).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
      expect(woken).toMatchObject({ status: 201, idempotencyStatus: 'replayed' })
      expect(Buffer.compare(taker.body, woken.body)).toBe(0)
      expect(office.sent.size).toBe(1)
      expect(await rowOf(key)).toMatchObject({ epoch: 2, attempts: 2 })
    },
  )

  it('answers "in progress" where the worker that took over is still at it', async () => {
    const key = newKey()
    const first = startFrozenAt('started', key)
    await first.frozen
    await expireLeases()
    const second = startFrozenAt('performed', key)
    await second.frozen

    first.thaw()

    expect(typeOf(await first.reply)).toBe('request-in-progress')
    second.thaw()
    expect(await second.reply).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
  })
})

describe('lookUp', () => {
  const lookUp = (key: string, operation = 'POST /parcels') =>
    idempotency.lookUp({ scope: 'mina', key, operation })

  it('tells not found, running, waiting and done apart, and writes nothing', async () => {
    const [unknown, running, waiting, done] = [newKey(), newKey(), newKey(), newKey()]
    const worker = startFrozenAt('claimed', running)
    await worker.frozen
    await send(waiting, 'island')
    const reply = await send(done)

    expect(await lookUp(unknown)).toEqual({ state: 'not-found' })
    expect(await lookUp(running)).toEqual({ state: 'running' })
    expect(await lookUp(waiting)).toEqual({ state: 'waiting' })
    const state = await lookUp(done)
    expect(state).toMatchObject({ state: 'done', answer: { status: 201 } })
    expect(state.state === 'done' && textOf(state.answer)).toEqual(textOf(reply))
    expect(await rowOf(unknown)).toBeUndefined()
    worker.thaw()
    await worker.reply
  })

  it('calls a key whose outcome is unknown running: it will be finished', async () => {
    const key = newKey()
    office.isRoadBlocked = true
    await send(key)

    expect(await lookUp(key)).toEqual({ state: 'running' })
  })

  it("says mismatch for another operation's key, and nothing for another principal's", async () => {
    const key = newKey()
    await send(key)

    expect(await lookUp(key, 'POST /letters')).toEqual({ state: 'mismatch' })
    expect(await idempotency.lookUp({ scope: 'jun', key, operation: 'POST /parcels' })).toEqual({
      state: 'not-found',
    })
  })
})

describe('fence', () => {
  const fence = (key: string) =>
    idempotency.fence({ scope: 'mina', key, operation: 'POST /parcels' })
  const burnt = { state: 'done', answer: { status: 409 } }

  it('burns a key that nobody has seen: the late original gets the same answer, whatever it asks', async () => {
    const key = newKey()

    expect(await fence(key)).toMatchObject(burnt)
    const late = await send(key)
    const laterStill = await send(key, 'jun')

    expect(typeOf(late)).toBe('key-fenced')
    expect(late.idempotencyStatus).toBe('replayed')
    expect(typeOf(laterStill)).toBe('key-fenced')
    expect(office.asked).toEqual([])
  })

  it('burns a claimed key under its worker, who then executes nothing', async () => {
    const key = newKey()
    const worker = startFrozenAt('claimed', key)
    await worker.frozen

    expect(await fence(key)).toMatchObject(burnt)
    worker.thaw()

    expect(typeOf(await worker.reply)).toBe('key-fenced')
    expect(office.asked).toEqual([])
  })

  it('burns a key that waits for its client', async () => {
    const key = newKey()
    await send(key, 'island')

    expect(await fence(key)).toMatchObject(burnt)
    expect(typeOf(await send(key, 'island'))).toBe('key-fenced')
  })

  it('leaves a key alone that has started or is done, and says what it is', async () => {
    const [started, done] = [newKey(), newKey()]
    const worker = startFrozenAt('started', started)
    await worker.frozen
    await send(done)

    expect(await fence(started)).toEqual({ state: 'running' })
    expect(await fence(done)).toMatchObject({ state: 'done', answer: { status: 201 } })
    worker.thaw()
    expect(await worker.reply).toMatchObject({ status: 201 })
  })

  it('burns once: a second fence changes nothing', async () => {
    const key = newKey()
    await fence(key)
    const before = await rowOf(key)

    expect(await fence(key)).toMatchObject(burnt)
    expect(await rowOf(key)).toEqual(before)
  })

  it("does not touch another operation's key", async () => {
    const key = newKey()
    await send(key, 'island')

    const state = await idempotency.fence({ scope: 'mina', key, operation: 'POST /letters' })

    expect(state).toEqual({ state: 'mismatch' })
    expect(await rowOf(key)).toMatchObject({ phase: 'claimed' })
  })
})

describe('completeAbandoned', () => {
  it.each(['claimed', 'started', 'performed'] as const)(
    'finishes what a worker left at %s, without its client',
    async checkpoint => {
      const key = newKey()
      const dead = startFrozenAt(checkpoint, key)
      await dead.frozen
      await expireLeases()

      expect(await idempotency.completeAbandoned()).toBe(1)

      expect(await rowOf(key)).toMatchObject({ phase: 'done', status: 201 })
      expect(office.sent.size).toBe(1)
      expect(await idempotency.completeAbandoned()).toBe(0)
      dead.thaw()
      expect(await dead.reply).toMatchObject({ status: 201, idempotencyStatus: 'replayed' })
    },
  )

  it('leaves alone what is leased, done, or waits for its client', async () => {
    const [leased, done, waiting] = [newKey(), newKey(), newKey()]
    const worker = startFrozenAt('started', leased)
    await worker.frozen
    await send(done)
    await send(waiting, 'island')

    expect(await idempotency.completeAbandoned()).toBe(0)

    expect(await rowOf(waiting)).toMatchObject({ phase: 'claimed', attempts: 1 })
    worker.thaw()
    await worker.reply
  })

  it('comes back to an unknown outcome later each time, between half and whole of 1, 2, 4 ... 64 seconds', async () => {
    const key = newKey()
    office.isRoadBlocked = true
    await send(key)

    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 64]) {
      const [{ wait } = { wait: 0 }] = await database.query<{ wait: number }>(
        `SELECT extract(epoch FROM resume_at - clock_timestamp())::float8 AS wait
           FROM idempotency_records WHERE key = $1`,
        [key],
      )
      // Taken up to a second ago, on a machine that may be busy.
      expect(wait).toBeGreaterThan(seconds / 2 - 1)
      expect(wait).toBeLessThanOrEqual(seconds)
      expect(await idempotency.completeAbandoned()).toBe(0)
      await expireLeases()
      expect(await idempotency.completeAbandoned()).toBe(1)
    }
    office.isRoadBlocked = false
    await expireLeases()
    await idempotency.completeAbandoned()
    expect(await rowOf(key)).toMatchObject({ phase: 'done', attempts: 10 })
    expect(new Set(office.asked).size).toBe(1)
  })

  it('takes what has waited longest first', async () => {
    const keys = [newKey(), newKey(), newKey()]
    office.isRoadBlocked = true
    for (const key of keys) await send(key, key)
    office.isRoadBlocked = false
    for (const [index, seconds] of [20, 30, 10].entries()) {
      await database.query(
        `UPDATE idempotency_records SET resume_at = clock_timestamp() - $2 * interval '1 second' WHERE key = $1`,
        [keys[index], seconds],
      )
    }

    await idempotency.completeAbandoned()

    expect([...office.sent.values()]).toEqual([keys[1], keys[0], keys[2]])
  })

  describe('past the re-drive limit', () => {
    const age = (key: string) =>
      database.query(
        `UPDATE idempotency_records
            SET claimed_at = claimed_at - interval '21 hours', started_at = started_at - interval '21 hours'
          WHERE key = $1`,
        [key],
      )

    it('looks the effect up instead of asking for it again, and finishes what it finds', async () => {
      const key = newKey()
      office.losesAnswers = true
      await send(key)
      await age(key)
      await expireLeases()

      await idempotency.completeAbandoned()

      expect(office.asked).toHaveLength(1)
      expect(await rowOf(key)).toMatchObject({ phase: 'done', status: 201 })
    })

    it('asks for a review where there is nothing to find, and executes nothing under that key again', async () => {
      const key = newKey()
      office.isRoadBlocked = true
      await send(key)
      await age(key)
      await expireLeases()

      await idempotency.completeAbandoned()

      expect(office.asked).toHaveLength(1)
      expect(await rowOf(key)).toMatchObject({ phase: 'review' })
      expect(lines.at(-1)).toContain('REVIEW NEEDED')
      expect(lines.join('\n')).not.toContain(key)
      const again = await send(key)
      expect(again.status).toBe(409)
      expect(typeOf(again)).toBe('under-review')
      expect(await idempotency.lookUp({ scope: 'mina', key, operation: 'POST /parcels' })).toEqual({
        state: 'review',
      })
      await expireLeases()
      expect(await idempotency.completeAbandoned()).toBe(0)
    })

    it('holds for a client that comes back that late as well', async () => {
      const key = newKey()
      office.losesAnswers = true
      await send(key)
      await age(key)

      expect(await send(key)).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
      expect(office.asked).toHaveLength(1)
    })

    it('begins no claim that old without its client', async () => {
      const key = newKey()
      const dead = startFrozenAt('claimed', key)
      await dead.frozen
      await age(key)
      await expireLeases()

      await idempotency.completeAbandoned()

      expect(office.asked).toEqual([])
      expect(await rowOf(key)).toMatchObject({ phase: 'claimed', resume_at: null })
      dead.thaw()
      await dead.reply
    })
  })
})

describe('reap', () => {
  async function age(key: string, days: number) {
    await database.query(
      `UPDATE idempotency_records
          SET claimed_at = claimed_at - $2 * interval '1 day', started_at = started_at - $2 * interval '1 day',
              body_expires_at = body_expires_at - $2 * interval '1 day',
              expires_at = expires_at - $2 * interval '1 day'
        WHERE key = $1`,
      [key, days],
    )
  }

  it('drops answer and request after 7 days, and keeps the key: 410 with a link', async () => {
    const key = newKey()
    await send(key)
    await age(key, 6.9)
    await idempotency.reap()
    expect(await send(key)).toMatchObject({ status: 201 })

    await age(key, 0.2)
    await idempotency.reap()

    const expired = await send(key)
    expect(expired.status).toBe(410)
    expect(typeOf(expired)).toBe('result-expired')
    expect(expired.headers.Link).toBe('</parcels>; rel="related"')
    expect(await rowOf(key)).toMatchObject({ body: null, request: null, phase: 'done' })
    expect(await idempotency.lookUp({ scope: 'mina', key, operation: 'POST /parcels' })).toEqual({
      state: 'expired',
      headers: expect.objectContaining({ Link: '</parcels>; rel="related"' }),
    })
    expect(typeOf(await send(key, 'jun'))).toBe('key-mismatch')
    expect(office.asked).toHaveLength(1)
  })

  it('drops the key after 90 days', async () => {
    const key = newKey()
    await send(key)
    await age(key, 91)

    await idempotency.reap()

    expect(await rowOf(key)).toBeUndefined()
  })

  it('never touches what is not done, however old', async () => {
    const [claimed, started] = [newKey(), newKey()]
    await send(claimed, 'island')
    office.isRoadBlocked = true
    await send(started)
    for (const key of [claimed, started]) await age(key, 1_000)
    const before = [await rowOf(claimed), await rowOf(started)]

    await idempotency.reap()

    expect([await rowOf(claimed), await rowOf(started)]).toEqual(before)
  })
})

describe('executeAtomically', () => {
  const engrave: AtomicOperation<Parcel> = {
    name: 'POST /plates',
    async run(session, { input, effectKey }) {
      if (input.to === 'nowhere') throw new Error('no such name')
      await session.query("INSERT INTO parcels VALUES ($1, $2, 'engraved')", [effectKey, input.to])
      return jsonAnswer(201, { plate: effectKey })
    },
  }
  const run = (key: string, to = 'mina') =>
    idempotency.executeAtomically(engrave, { scope: 'mina', key, input: { to } })
  const countOf = async (to: string) =>
    (await database.query('SELECT 1 FROM parcels WHERE sent_to = $1', [to])).length

  it('executes once and repeats the answer, also for 20 first requests at once', async () => {
    const [key, name] = [newKey(), newKey()]

    const replies = await Promise.all(Array.from({ length: 20 }, () => run(key, name)))

    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(201))
    expect(new Set(replies.map(({ body }) => Buffer.from(body).toString())).size).toBe(1)
    expect(
      replies.filter(({ idempotencyStatus }) => idempotencyStatus === 'completed'),
    ).toHaveLength(1)
    expect(await countOf(name)).toBe(1)
  })

  it('leaves nothing behind where it failed, so the same key may try again', async () => {
    const key = newKey()

    await expect(run(key, 'nowhere')).rejects.toThrow('no such name')

    expect(await rowOf(key)).toBeUndefined()
  })

  it('shares its keys with every other operation: 422 for the key of another', async () => {
    const [mine, theirs] = [newKey(), newKey()]
    await run(mine)
    await send(theirs)

    expect(typeOf(await send(mine))).toBe('key-mismatch')
    expect(typeOf(await run(theirs))).toBe('key-mismatch')
  })
})
