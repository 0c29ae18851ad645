import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newKey, ParcelLayer, typeOf } from './testing/parcel-layer.ts'

let layer: ParcelLayer
beforeAll(async () => {
  layer = await ParcelLayer.open()
})
beforeEach(() => layer.reset())
afterAll(() => layer.close())

describe('reap', () => {
  it('drops answer and request after 7 days, and keeps the key: 410 with a link', async () => {
    const key = newKey()
    await layer.send(key)
    await layer.age(key, 6.9)
    await layer.idempotency.reap()
    expect(await layer.send(key)).toMatchObject({ status: 201 })

    await layer.age(key, 0.2)
    await layer.idempotency.reap()

    const expired = await layer.send(key)
    expect(expired.status).toBe(410)
    expect(typeOf(expired)).toBe('result-expired')
    expect(expired.headers.Link).toBe('</parcels>; rel="related"')
    expect(await layer.rowOf(key)).toMatchObject({ body: null, request: null, phase: 'done' })
    expect(await layer.lookUp(key)).toEqual({
      state: 'expired',
      headers: expect.objectContaining({ Link: '</parcels>; rel="related"' }),
    })
    expect(typeOf(await layer.send(key, 'jun'))).toBe('key-mismatch')
    expect(layer.office.asked).toHaveLength(1)
  })

  it('drops the key after 90 days', async () => {
    const key = newKey()
    await layer.send(key)
    await layer.age(key, 91)

    await layer.idempotency.reap()

    expect(await layer.rowOf(key)).toBeUndefined()
  })

  it.each(['never came', 'is claimed', 'waits for its client'])(
    'keeps the answer of a burnt key that %s for 7 days, and the key for 90',
    async kind => {
      const key = newKey()
      if (kind === 'waits for its client') await layer.send(key, 'island')
      const worker = kind === 'is claimed' && (await layer.freezeAt('claimed', key, 'island'))
      await layer.idempotency.fence({ scope: 'mina', key, operation: 'POST /parcels' })
      if (worker) await worker.thaw()
      await layer.age(key, 6.9)
      await layer.idempotency.reap()
      expect(typeOf(await layer.send(key, 'island'))).toBe('key-fenced')

      await layer.age(key, 0.2)
      await layer.idempotency.reap()
      expect(typeOf(await layer.send(key, 'island'))).toBe('result-expired')

      await layer.age(key, 82.8)
      await layer.idempotency.reap()
      expect(await layer.rowOf(key)).not.toBeUndefined()
      await layer.age(key, 0.2)
      await layer.idempotency.reap()
      expect(await layer.rowOf(key)).toBeUndefined()
    },
  )

  it('drops a claim after 90 days whose client has not come back, and never one that has', async () => {
    const [gone, back] = [newKey(), newKey()]
    await layer.send(gone, 'island')
    await layer.send(back, 'island')
    for (const key of [gone, back]) await layer.age(key, 91)
    const worker = await layer.freezeAt('claimed', back, 'island')

    await layer.idempotency.reap()

    expect(await layer.rowOf(gone)).toBeUndefined()
    expect(await layer.rowOf(back)).toMatchObject({ phase: 'claimed', epoch: 2, expires_at: null })
    expect(await worker.thaw()).toMatchObject({ status: 409 })
  })

  it('drops all that is due, however much, and says how many', async () => {
    await layer.database.query(
      `INSERT INTO idempotency_records (scope, key, operation, phase, effect_key, expires_at)
       SELECT 'mina', n::text, 'POST /parcels', 'claimed', gen_random_uuid(), clock_timestamp()
         FROM generate_series(1, 1100) AS n`,
    )

    expect(await layer.idempotency.reap()).toBe(1_100)

    expect(await layer.database.query('SELECT 1 FROM idempotency_records')).toEqual([])
  })

  it('never touches what has started, however old', async () => {
    const [leased, released] = [newKey(), newKey()]
    const worker = await layer.freezeAt('started', leased)
    layer.office.isRoadBlocked = true
    await layer.send(released)
    for (const key of [leased, released]) await layer.age(key, 1_000)
    const before = [await layer.rowOf(leased), await layer.rowOf(released)]

    await layer.idempotency.reap()

    expect([await layer.rowOf(leased), await layer.rowOf(released)]).toEqual(before)
    await worker.thaw()
  })
})
