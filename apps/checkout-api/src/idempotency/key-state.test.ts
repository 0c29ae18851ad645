import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { jsonAnswer } from './answer.ts'
import { newKey, ParcelLayer, textOf, typeOf } from './testing/parcel-layer.ts'

let layer: ParcelLayer
beforeAll(async () => {
  layer = await ParcelLayer.open()
})
beforeEach(() => layer.reset())
afterAll(() => layer.close())

describe('lookUp', () => {
  it('tells not found, running, waiting and done apart, and writes nothing', async () => {
    const [unknown, running, waiting, done] = [newKey(), newKey(), newKey(), newKey()]
    const worker = await layer.freezeAt('claimed', running)
    await layer.send(waiting, 'island')
    const reply = await layer.send(done)

    expect(await layer.lookUp(unknown)).toEqual({ state: 'not-found' })
    expect(await layer.lookUp(running)).toEqual({ state: 'running' })
    expect(await layer.lookUp(waiting)).toEqual({ state: 'waiting' })
    const state = await layer.lookUp(done)
    expect(state).toMatchObject({ state: 'done', answer: { status: 201 } })
    expect(state.state === 'done' && textOf(state.answer)).toEqual(textOf(reply))
    expect(await layer.rowOf(unknown)).toBeUndefined()
    await worker.thaw()
  })

  it('calls a key whose outcome is unknown running: it will be finished', async () => {
    const key = newKey()
    layer.office.isRoadBlocked = true
    await layer.send(key)

    expect(await layer.lookUp(key)).toEqual({ state: 'running' })
  })

  it("says mismatch for another operation's key, and nothing for another principal's", async () => {
    const key = newKey()
    await layer.send(key)

    expect(await layer.lookUp(key, { operation: 'POST /letters' })).toEqual({ state: 'mismatch' })
    expect(await layer.lookUp(key, { scope: 'jun' })).toEqual({
      state: 'not-found',
    })
  })
})

describe('fence', () => {
  const fence = (key: string) =>
    layer.idempotency.fence({ scope: 'mina', key, operation: 'POST /parcels' })
  const burnt = { state: 'done', answer: { status: 409 } }

  it('burns a key that nobody has seen: the late original gets the same answer, whatever it asks', async () => {
    const key = newKey()

    expect(await fence(key)).toMatchObject(burnt)
    const late = await layer.send(key)
    const laterStill = await layer.send(key, 'jun')

    expect(typeOf(late)).toBe('key-fenced')
    expect(late.idempotencyStatus).toBe('replayed')
    expect(typeOf(laterStill)).toBe('key-fenced')
    expect(layer.office.asked).toEqual([])
  })

  it('burns the key for its own operation: 422 to another', async () => {
    const key = newKey()
    await fence(key)
    const engrave = { name: 'POST /plates', run: async () => jsonAnswer(201, 'engraved') }

    const other = await layer.idempotency.executeAtomically(engrave, {
      scope: 'mina',
      key,
      input: { to: 'mina' },
    })

    expect(typeOf(other)).toBe('key-mismatch')
  })

  it('burns a claimed key under its worker, who then executes nothing', async () => {
    const key = newKey()
    const worker = await layer.freezeAt('claimed', key)

    expect(await fence(key)).toMatchObject(burnt)

    expect(await layer.rowOf(key)).toMatchObject({ lease_until: null, resume_at: null })
    expect(typeOf(await worker.thaw())).toBe('key-fenced')
    expect(layer.office.asked).toEqual([])
  })

  it('burns a key that waits for its client', async () => {
    const key = newKey()
    await layer.send(key, 'island')

    expect(await fence(key)).toMatchObject(burnt)
    expect(typeOf(await layer.send(key, 'island'))).toBe('key-fenced')
  })

  it('leaves a key alone that has started or is done, and says what it is', async () => {
    const [started, done] = [newKey(), newKey()]
    const worker = await layer.freezeAt('started', started)
    await layer.send(done)

    expect(await fence(started)).toEqual({ state: 'running' })
    expect(await fence(done)).toMatchObject({ state: 'done', answer: { status: 201 } })
    expect(await worker.thaw()).toMatchObject({ status: 201 })
  })

  it('burns once: a second fence changes nothing', async () => {
    const key = newKey()
    await fence(key)
    const before = await layer.rowOf(key)

    expect(await fence(key)).toMatchObject(burnt)
    expect(await layer.rowOf(key)).toEqual(before)
  })

  it("does not touch another operation's key", async () => {
    const key = newKey()
    await layer.send(key, 'island')

    const state = await layer.idempotency.fence({ scope: 'mina', key, operation: 'POST /letters' })

    expect(state).toEqual({ state: 'mismatch' })
    expect(await layer.rowOf(key)).toMatchObject({ phase: 'claimed' })
  })
})
