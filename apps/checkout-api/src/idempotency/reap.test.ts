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

  it('never touches what is not done, however old', async () => {
    const [claimed, started] = [newKey(), newKey()]
    await layer.send(claimed, 'island')
    layer.office.isRoadBlocked = true
    await layer.send(started)
    for (const key of [claimed, started]) await layer.age(key, 1_000)
    const before = [await layer.rowOf(claimed), await layer.rowOf(started)]

    await layer.idempotency.reap()

    expect([await layer.rowOf(claimed), await layer.rowOf(started)]).toEqual(before)
  })
})
