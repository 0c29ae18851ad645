import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, DatabaseUnavailableError, type Session } from '../database/database.ts'
import { jsonAnswer } from './answer.ts'
import { Idempotency } from './idempotency.ts'
import { DEFAULT_RETENTION } from './retention.ts'
import { newKey, type Parcel, ParcelLayer, typeOf } from './testing/parcel-layer.ts'

let layer: ParcelLayer
beforeAll(async () => {
  layer = await ParcelLayer.open()
})
beforeEach(() => layer.reset())
afterAll(() => layer.close())

/** The database, which commits what it is asked to, but whose word does not come back for one commit. */
function losingAfter(isLost: (sql: string) => boolean): Database {
  let isDone = false
  const loseOnce = (sql: string) => {
    if (isDone || !isLost(sql)) return
    isDone = true
    throw new DatabaseUnavailableError(new Error('Connection terminated'))
  }
  return {
    ...layer.database,
    async query<Row extends object>(sql: string, parameters?: readonly unknown[]) {
      const rows = await layer.database.query<Row>(sql, parameters)
      loseOnce(sql)
      return rows
    },
    async transaction<T>(work: (session: Session) => Promise<T>) {
      let statements = ''
      const result = await layer.database.transaction(session =>
        work({
          ...session,
          query(sql, parameters) {
            statements += sql
            return session.query(sql, parameters)
          },
        }),
      )
      loseOnce(statements)
      return result
    },
  }
}

const open = (database: Database) =>
  new Idempotency({
    database,
    retention: DEFAULT_RETENTION,
    operations: [layer.operation],
    log: line => layer.lines.push(line),
  })

const request = (key: string, to = 'mina') => ({ scope: 'mina', key, input: { to } })

describe('a commit whose acknowledgement is lost', () => {
  it.each([
    ['the claim', 'INSERT INTO idempotency_records', 'mina'],
    ['the start', "SET phase = 'started'", 'mina'],
    ['the answer', "SET phase = 'done'", 'mina'],
    ['a refusal', "SET phase = 'done'", 'nowhere'],
  ])('%s: answered as outcome unknown, and executed once', async (_, statement, to) => {
    const key = newKey()
    const cut = open(losingAfter(sql => sql.includes(statement)))

    const unknown = await cut.execute(layer.operation, request(key, to))

    expect(unknown.status).toBe(503)
    expect(typeOf(unknown)).toBe('outcome-unknown')
    expect(unknown.idempotencyStatus).toBeUndefined()
    await layer.expireLeases()
    expect(await layer.send(key, to)).toMatchObject({ status: to === 'mina' ? 201 : 404 })
    expect(layer.office.sent.size).toBe(to === 'mina' ? 1 : 0)
    expect(layer.lines.join()).not.toContain(key)
  })

  it('a take-over: answered as outcome unknown, and executed once', async () => {
    const key = newKey()
    layer.office.isRoadBlocked = true
    await layer.send(key)
    layer.office.isRoadBlocked = false
    const cut = open(losingAfter(sql => sql.includes('SET epoch = epoch + 1')))

    expect(typeOf(await cut.execute(layer.operation, request(key)))).toBe('outcome-unknown')

    await layer.expireLeases()
    expect(await layer.send(key)).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
    expect(layer.office.sent.size).toBe(1)
  })

  it.each(['mina', 'nowhere'])(
    'of a stored answer (%s) leaves it the time that answers have: the key is dropped in the end',
    async to => {
      const key = newKey()
      await layer.send(newKey(), to)
      const cut = open(losingAfter(sql => sql.includes("SET phase = 'done'")))
      await cut.execute(layer.operation, request(key, to))

      expect(await layer.rowOf(key)).toMatchObject({ phase: 'done', expires_at: expect.any(Date) })
      await layer.age(key, 91)
      await layer.idempotency.reap()

      expect(await layer.rowOf(key)).toBeUndefined()
    },
  )

  it('of letting go of the key does not hide what went wrong before', async () => {
    const broken = {
      ...layer.operation,
      begin: async () => {
        throw new Error('out of labels')
      },
    }
    const cut = open(losingAfter(sql => sql.includes('SET lease_until = NULL')))

    await expect(cut.execute(broken, request(newKey()))).rejects.toThrow('out of labels')

    expect(layer.lines.join()).toContain('the database cannot be reached')
  })

  it('of an operation in one transaction: answered as outcome unknown, and repeated under its key', async () => {
    const key = newKey()
    const engrave = {
      name: 'POST /plates',
      run: async (session: Session, execution: { input: Parcel; effectKey: string }) => {
        const { input, effectKey } = execution
        await session.query("INSERT INTO parcels VALUES ($1, $2, 'engraved')", [
          effectKey,
          input.to,
        ])
        return jsonAnswer(201, { plate: effectKey })
      },
    }
    const cut = open(losingAfter(sql => sql.includes('INSERT INTO parcels')))

    expect(typeOf(await cut.executeAtomically(engrave, request(key)))).toBe('outcome-unknown')

    expect(await layer.idempotency.executeAtomically(engrave, request(key))).toMatchObject({
      status: 201,
      idempotencyStatus: 'replayed',
    })
    expect(layer.lines.join()).toContain('Connection terminated')
  })
})

describe('a database that is gone before anything is written', () => {
  it('is told as such: the first look rejects, whatever the operation', async () => {
    const gone = open(losingAfter(sql => sql.trimStart().startsWith('SELECT')))
    const goneAgain = open(losingAfter(sql => sql.trimStart().startsWith('SELECT')))
    const idle = { name: 'POST /plates', run: async () => jsonAnswer(201, 'never') }
    const key = newKey()

    await expect(gone.execute(layer.operation, request(key))).rejects.toThrow(
      DatabaseUnavailableError,
    )
    await expect(goneAgain.executeAtomically(idle, request(key))).rejects.toThrow(
      DatabaseUnavailableError,
    )
    expect(await layer.rowOf(key)).toBeUndefined()
  })
})
