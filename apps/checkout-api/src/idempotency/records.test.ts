import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RecordRow, Records } from './records.ts'
import { DEFAULT_RETENTION } from './retention.ts'
import { newKey, ParcelLayer, typeOf } from './testing/parcel-layer.ts'

/** What lies between two statements, where the layer's own doors are too fast to be caught. */
const records = new Records(DEFAULT_RETENTION)

let layer: ParcelLayer
beforeAll(async () => {
  layer = await ParcelLayer.open()
})
beforeEach(() => layer.reset())
afterAll(() => layer.close())

async function find(key: string): Promise<RecordRow> {
  const record = await records.find(layer.database, 'mina', key)
  if (!record) throw new Error('no such record')
  return record
}

const takeOver = (record: RecordRow) => records.takeOver(layer.database, record)

/** Rows that are due, their workers gone. */
async function abandon(count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, newKey)
  layer.office.isRoadBlocked = true
  for (const key of keys) await layer.send(key)
  layer.office.isRoadBlocked = false
  await layer.expireLeases()
  return keys
}

describe('takeOver', () => {
  it('leaves alone what its owner finished after the look: nothing is done twice', async () => {
    const key = newKey()
    const slow = await layer.freezeAt('performed', key)
    await layer.expireLeases()
    const seen = await find(key)
    await slow.thaw()

    expect(await takeOver(seen)).toBeUndefined()
    expect(await layer.rowOf(key)).toMatchObject({ phase: 'done', epoch: 1 })
  })

  it('leaves alone what its owner started, with a new lease, after the look', async () => {
    const key = newKey()
    const slow = await layer.freezeAt('claimed', key)
    await layer.expireLeases()
    const seen = await find(key)
    expect(await records.start(layer.database, seen)).toBe(true)

    expect(await takeOver(seen)).toBeUndefined()
    await slow.thaw()
  })

  it('leaves alone what somebody else took over after the look', async () => {
    const key = newKey()
    layer.office.isRoadBlocked = true
    await layer.send(key)
    const seen = await find(key)
    const other = await takeOver(seen)
    if (other) await records.release(layer.database, other)

    expect(await takeOver(seen)).toBeUndefined()
  })

  it('leaves the row to be finished without a client, should the one that took it die as well', async () => {
    const key = newKey()
    layer.office.isRoadBlocked = true
    await layer.send(key)
    layer.office.isRoadBlocked = false
    await takeOver(await find(key))

    expect(await layer.lookUp(key)).toEqual({ state: 'running' })
    expect(await layer.idempotency.completeAbandoned()).toBe(0)
    await layer.expireLeases()
    expect(await layer.idempotency.completeAbandoned()).toBe(1)
    expect(await layer.rowOf(key)).toMatchObject({ phase: 'done', epoch: 3 })
  })
})

describe('takeOverAbandoned', () => {
  it('has the row for itself: a client that comes meanwhile is told so', async () => {
    const [key] = (await abandon(1)) as [string]
    await records.takeOverAbandoned(layer.database)

    expect(typeOf(await layer.send(key))).toBe('request-in-progress')
    expect(layer.office.sent.size).toBe(0)
  })

  it('leaves the row to the next completer, should this one die', async () => {
    const [key] = (await abandon(1)) as [string]
    await records.takeOverAbandoned(layer.database)

    expect(await layer.lookUp(key)).toEqual({ state: 'running' })
    await layer.expireLeases()
    expect(await layer.idempotency.completeAbandoned()).toBe(1)
    expect(await layer.rowOf(key)).toMatchObject({ phase: 'done', epoch: 3 })
  })
})

describe('takeOverAbandoned by several at once', () => {
  it('gives each row to one of them', async () => {
    const keys = await abandon(5)

    const taken = await Promise.all(
      Array.from({ length: 20 }, () => records.takeOverAbandoned(layer.database)),
    )

    const takenKeys = taken.flatMap(record => (record ? [record.key] : []))
    expect(takenKeys.toSorted()).toEqual(keys.toSorted())
  })

  // The embedded database has one session: nobody else could hold a lock.
  it.runIf(process.env.TEST_DATABASE_URL)(
    'passes over a row that somebody holds a lock on',
    async () => {
      const [held, free] = (await abandon(2)) as [string, string]
      await layer.database.query(
        `UPDATE idempotency_records SET resume_at = resume_at - interval '1 hour' WHERE key = $1`,
        [held],
      )
      await layer.database.transaction(async session => {
        await session.query('SELECT 1 FROM idempotency_records WHERE key = $1 FOR UPDATE', [held])

        expect(await records.takeOverAbandoned(layer.database)).toMatchObject({ key: free })
        expect(await records.takeOverAbandoned(layer.database)).toBeUndefined()
      })
    },
  )

  it("leaves another principal's same key alone", async () => {
    const [key] = (await abandon(1)) as [string]
    await layer.send(key, 'island', 'jun')

    expect(await records.takeOverAbandoned(layer.database)).toMatchObject({ scope: 'mina' })
    expect(await records.find(layer.database, 'jun', key)).toMatchObject({ epoch: 1 })
  })
})

describe('start', () => {
  it('gives the effect a whole lease, whatever was left of the one before', async () => {
    const key = newKey()
    const slow = await layer.freezeAt('claimed', key)
    await layer.database.query(
      `UPDATE idempotency_records
          SET lease_until = clock_timestamp() + interval '1 second',
              resume_at = clock_timestamp() + interval '1 second'
        WHERE key = $1`,
      [key],
    )
    await records.start(layer.database, await find(key))

    const [left] = await layer.database.query<{ lease: number; resume: number }>(
      `SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 AS lease,
              extract(epoch FROM resume_at - clock_timestamp())::float8 AS resume
         FROM idempotency_records WHERE key = $1`,
      [key],
    )
    expect(left?.lease).toBeGreaterThan(20)
    expect(left?.resume).toBeGreaterThan(20)
    await slow.thaw()
  })
})

// The embedded database has one session: nothing happens while another transaction is open.
describe.runIf(process.env.TEST_DATABASE_URL)('reap', () => {
  it('does not drop a claim whose client comes back while it looks', async () => {
    const key = newKey()
    await layer.send(key, 'island')
    await layer.age(key, 91)
    let reaping: Promise<number> | undefined

    await layer.database.transaction(async session => {
      const back = await records.takeOver(session, await find(key))
      expect(back).toMatchObject({ epoch: 2 })
      reaping = layer.idempotency.reap()
      await expect.poll(countOfWaiting).toBe(1)
    })

    expect(await reaping).toBe(0)
    expect(await layer.rowOf(key)).toMatchObject({ phase: 'claimed', epoch: 2 })
  })
})

/** How many sessions of this database wait for a lock. */
async function countOfWaiting(): Promise<number> {
  const waiting = await layer.database.query(
    `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return waiting.length
}
