import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { jsonAnswer } from './answer.ts'
import type { AtomicOperation } from './operation.ts'
import { newKey, type Parcel, ParcelLayer, typeOf } from './testing/parcel-layer.ts'

let layer: ParcelLayer
beforeAll(async () => {
  layer = await ParcelLayer.open()
})
beforeEach(() => layer.reset())
afterAll(() => layer.close())

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
    layer.idempotency.executeAtomically(engrave, { scope: 'mina', key, input: { to } })
  const countOf = async (to: string) =>
    (await layer.database.query('SELECT 1 FROM parcels WHERE sent_to = $1', [to])).length

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

    expect(await layer.rowOf(key)).toBeUndefined()
  })

  it('shares its keys with every other operation: 422 for the key of another', async () => {
    const [mine, theirs] = [newKey(), newKey()]
    await run(mine)
    await layer.send(theirs)

    expect(typeOf(await layer.send(mine))).toBe('key-mismatch')
    expect(typeOf(await run(theirs))).toBe('key-mismatch')
  })
})
