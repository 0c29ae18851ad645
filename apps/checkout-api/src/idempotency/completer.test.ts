import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Idempotency } from './idempotency.ts'
import { DEFAULT_RETENTION } from './retention.ts'
import { newKey, ParcelLayer, typeOf } from './testing/parcel-layer.ts'

let layer: ParcelLayer
beforeAll(async () => {
  layer = await ParcelLayer.open()
})
beforeEach(() => layer.reset())
afterAll(() => layer.close())

describe('completeAbandoned', () => {
  it.each(['claimed', 'started', 'performed'] as const)(
    'finishes what a worker left at %s, without its client',
    async checkpoint => {
      const key = newKey()
      const dead = await layer.freezeAt(checkpoint, key)
      await layer.expireLeases()

      expect(await layer.idempotency.completeAbandoned()).toBe(1)

      expect(await layer.rowOf(key)).toMatchObject({ phase: 'done', status: 201 })
      expect(layer.office.sent.size).toBe(1)
      expect(await layer.idempotency.completeAbandoned()).toBe(0)
      expect(await dead.thaw()).toMatchObject({ status: 201, idempotencyStatus: 'replayed' })
    },
  )

  it('leaves alone what is leased, done, or waits for its client', async () => {
    const [leased, done, waiting] = [newKey(), newKey(), newKey()]
    const worker = await layer.freezeAt('started', leased)
    await layer.send(done)
    await layer.send(waiting, 'island')

    expect(await layer.idempotency.completeAbandoned()).toBe(0)

    expect(await layer.rowOf(waiting)).toMatchObject({ phase: 'claimed', attempts: 1 })
    await worker.thaw()
  })

  it('comes back to an unknown outcome later each time, between half and whole of 1, 2, 4 ... 64 seconds', async () => {
    const key = newKey()
    layer.office.isRoadBlocked = true
    await layer.send(key)

    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 64]) {
      const [{ wait } = { wait: 0 }] = await layer.database.query<{ wait: number }>(
        `SELECT extract(epoch FROM resume_at - clock_timestamp())::float8 AS wait
           FROM idempotency_records WHERE key = $1`,
        [key],
      )
      // Taken up to a second ago, on a machine that may be busy.
      expect(wait).toBeGreaterThan(seconds / 2 - 1)
      expect(wait).toBeLessThanOrEqual(seconds)
      expect(await layer.idempotency.completeAbandoned()).toBe(0)
      await layer.expireLeases()
      expect(await layer.idempotency.completeAbandoned()).toBe(1)
    }
    layer.office.isRoadBlocked = false
    await layer.expireLeases()
    await layer.idempotency.completeAbandoned()
    expect(await layer.rowOf(key)).toMatchObject({ phase: 'done', attempts: 10 })
    expect(new Set(layer.office.asked).size).toBe(1)
  })

  it('takes what has waited longest first', async () => {
    const keys = [newKey(), newKey(), newKey()]
    layer.office.isRoadBlocked = true
    for (const key of keys) await layer.send(key, key)
    layer.office.isRoadBlocked = false
    for (const [index, seconds] of [20, 30, 10].entries()) {
      await layer.database.query(
        `UPDATE idempotency_records SET resume_at = clock_timestamp() - $2 * interval '1 second' WHERE key = $1`,
        [keys[index], seconds],
      )
    }

    await layer.idempotency.completeAbandoned()

    expect([...layer.office.sent.values()]).toEqual([keys[1], keys[0], keys[2]])
  })

  it('lets go of what it does not know how to do, and says so: another process may know', async () => {
    const key = newKey()
    layer.office.isRoadBlocked = true
    await layer.send(key)
    layer.office.isRoadBlocked = false
    await layer.expireLeases()
    const other = new Idempotency({
      database: layer.database,
      retention: DEFAULT_RETENTION,
      operations: [{ ...layer.operation, name: 'POST /letters' }],
      log: line => layer.lines.push(line),
    })

    expect(await other.completeAbandoned()).toBe(1)

    expect(layer.lines.at(-1)).toBe(
      'POST /parcels: half done, and this process does not know how to go on',
    )
    expect(await layer.rowOf(key)).toMatchObject({ phase: 'started', lease_until: null })
    expect(await layer.lookUp(key)).toEqual({ state: 'running' })
    await layer.expireLeases()
    expect(await layer.idempotency.completeAbandoned()).toBe(1)
    expect(await layer.rowOf(key)).toMatchObject({ phase: 'done', status: 201 })
  })

  it('ends after the execution under way when it is told to, however many are due', async () => {
    layer.office.isRoadBlocked = true
    for (const key of [newKey(), newKey(), newKey()]) await layer.send(key)
    await layer.expireLeases()
    const stopping = new AbortController()
    layer.office.whileSending = async () => stopping.abort()

    expect(await layer.idempotency.completeAbandoned(stopping.signal)).toBe(1)
    expect(await layer.idempotency.completeAbandoned(stopping.signal)).toBe(0)
  })

  describe('past the re-drive limit', () => {
    const age = (key: string) => layer.age(key, 21 / 24)

    it('looks the effect up instead of asking for it again, and finishes what it finds', async () => {
      const key = newKey()
      layer.office.losesAnswers = true
      await layer.send(key)
      await age(key)
      await layer.expireLeases()

      await layer.idempotency.completeAbandoned()

      expect(layer.office.asked).toHaveLength(1)
      expect(await layer.rowOf(key)).toMatchObject({ phase: 'done', status: 201 })
    })

    it('asks for a review where there is nothing to find, and executes nothing under that key again', async () => {
      const key = newKey()
      layer.office.isRoadBlocked = true
      await layer.send(key)
      await age(key)
      await layer.expireLeases()

      await layer.idempotency.completeAbandoned()

      expect(layer.office.asked).toHaveLength(1)
      expect(await layer.rowOf(key)).toMatchObject({ phase: 'review', lease_until: null })
      expect(layer.lines.at(-1)).toContain('REVIEW NEEDED')
      expect(layer.lines.join('\n')).not.toContain(key)
      const again = await layer.send(key)
      expect(again.status).toBe(409)
      expect(typeOf(again)).toBe('under-review')
      expect(await layer.lookUp(key)).toEqual({
        state: 'review',
      })
      await layer.expireLeases()
      expect(await layer.idempotency.completeAbandoned()).toBe(0)
    })

    it('holds for a client that comes back that late as well', async () => {
      const key = newKey()
      layer.office.losesAnswers = true
      await layer.send(key)
      await age(key)

      expect(await layer.send(key)).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
      expect(layer.office.asked).toHaveLength(1)
    })

    it('counts from the start of the effect, not from a claim that waited for days', async () => {
      const key = newKey()
      const worker = await layer.freezeAt('claimed', key)
      await age(key)
      layer.office.isRoadBlocked = true
      await worker.thaw()
      layer.office.isRoadBlocked = false
      await layer.expireLeases()

      await layer.idempotency.completeAbandoned()

      expect(layer.office.asked).toHaveLength(2)
      expect(await layer.rowOf(key)).toMatchObject({ phase: 'done', status: 201 })
    })

    it('asks for no review of what somebody else finished while it looked', async () => {
      const key = newKey()
      layer.office.losesAnswers = true
      await layer.send(key)
      await age(key)
      const slowToFind = {
        ...layer.operation,
        find: async () => {
          await layer.expireLeases()
          await layer.send(key)
          return undefined
        },
      }

      const overtaken = await layer.idempotency.execute(slowToFind, {
        scope: 'mina',
        key,
        input: { to: 'mina' },
      })

      expect(overtaken).toMatchObject({ status: 201, idempotencyStatus: 'replayed' })
      expect(layer.lines.join()).not.toContain('REVIEW')
    })

    it('begins no claim that old without its client', async () => {
      const key = newKey()
      const dead = await layer.freezeAt('claimed', key)
      await age(key)
      await layer.expireLeases()

      await layer.idempotency.completeAbandoned()

      expect(layer.office.asked).toEqual([])
      expect(await layer.rowOf(key)).toMatchObject({ phase: 'claimed', resume_at: null })
      await dead.thaw()
    })

    it('begins a claim that old for the client that comes back: nothing was asked for yet', async () => {
      const key = newKey()
      const dead = await layer.freezeAt('claimed', key)
      await age(key)
      await layer.expireLeases()

      expect(await layer.send(key)).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
      expect(layer.office.asked).toHaveLength(1)
      await dead.thaw()
    })
  })
})
