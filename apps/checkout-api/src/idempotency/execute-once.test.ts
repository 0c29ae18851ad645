import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newKey, ParcelLayer, textOf, typeOf } from './testing/parcel-layer.ts'

let layer: ParcelLayer
beforeAll(async () => {
  layer = await ParcelLayer.open()
})
beforeEach(() => layer.reset())
afterAll(() => layer.close())

describe('execute', () => {
  it('executes the first request and repeats its answer, byte for byte, ever after', async () => {
    const key = newKey()

    const first = await layer.send(key)
    const second = await layer.send(key)

    expect(first).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
    expect(textOf(first)).toBe('sent to mina')
    expect(second).toMatchObject({ status: 201, idempotencyStatus: 'replayed' })
    expect(Buffer.compare(first.body, second.body)).toBe(0)
    expect(second.headers).toEqual(first.headers)
    expect(layer.office.asked).toHaveLength(1)
    expect(await layer.rowOf(key)).toMatchObject({ lease_until: null, resume_at: null })
  })

  it('keeps the same key of another principal apart', async () => {
    const key = newKey()

    await layer.send(key, 'mina', 'mina')
    const other = await layer.send(key, 'jun', 'jun')

    expect(textOf(other)).toBe('sent to jun')
    expect(layer.office.asked).toHaveLength(2)
  })

  it('refuses the key with another input, and leaves the original alone', async () => {
    const key = newKey()
    await layer.send(key, 'mina')
    const before = await layer.rowOf(key)

    const wrong = await layer.send(key, 'jun')

    expect(wrong).toMatchObject({ status: 422 })
    expect(typeOf(wrong)).toBe('key-mismatch')
    expect(wrong.idempotencyStatus).toBeUndefined()
    expect(await layer.rowOf(key)).toEqual(before)
  })

  it.each(['waits for its client', 'has an unknown outcome'])(
    'refuses another input under a key that %s, and does not go on with the original for it',
    async kind => {
      const key = newKey()
      layer.office.isRoadBlocked = true
      await layer.send(key, kind === 'waits for its client' ? 'island' : 'mina')
      layer.office.isRoadBlocked = false
      const before = await layer.rowOf(key)

      const wrong = await layer.send(key, 'jun')

      expect(typeOf(wrong)).toBe('key-mismatch')
      expect(await layer.rowOf(key)).toEqual(before)
      expect(layer.office.sent.size).toBe(0)
    },
  )

  it('answers "in progress" while another worker has the key, and 422 to another input', async () => {
    const key = newKey()
    const worker = await layer.freezeAt('claimed', key)

    const same = await layer.send(key)
    const other = await layer.send(key, 'jun')

    expect(same.status).toBe(409)
    expect(typeOf(same)).toBe('request-in-progress')
    expect(same.headers['Retry-After']).toBe('1')
    expect(typeOf(other)).toBe('key-mismatch')
    expect(await worker.thaw()).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
  })

  it('stores a refusal for good', async () => {
    const key = newKey()

    expect(await layer.send(key, 'nowhere')).toMatchObject({
      status: 404,
      idempotencyStatus: 'completed',
    })
    expect(await layer.send(key, 'nowhere')).toMatchObject({
      status: 404,
      idempotencyStatus: 'replayed',
    })
    expect(layer.office.asked).toEqual([])
  })

  it('stores nothing where the operation is postponed: the same key may ask again', async () => {
    const key = newKey()

    const postponed = await layer.send(key, 'island')

    expect(postponed).toMatchObject({ status: 409 })
    expect(postponed.idempotencyStatus).toBeUndefined()
    expect(await layer.rowOf(key)).toMatchObject({
      phase: 'claimed',
      started_at: null,
      lease_until: null,
      resume_at: null,
    })
    expect(await layer.send(key, 'island')).toMatchObject({ status: 409 })
  })

  it('answers "outcome unknown" where performing failed, and performs under the same effect key next', async () => {
    const key = newKey()
    layer.office.losesAnswers = true

    const unknown = await layer.send(key)
    layer.office.losesAnswers = false
    const settled = await layer.send(key)

    expect(unknown.status).toBe(503)
    expect(typeOf(unknown)).toBe('outcome-unknown')
    expect(unknown.headers['Retry-After']).toBe('2')
    expect(settled).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
    expect(layer.office.asked).toHaveLength(2)
    expect(new Set(layer.office.asked).size).toBe(1)
    expect(layer.office.sent.size).toBe(1)
  })

  it('performs outside any transaction: the row is committed before the effect is asked for', async () => {
    const key = newKey()
    let seen: Record<string, unknown> | undefined
    layer.office.whileSending = async () => {
      // On the embedded database this would wait for ever inside a transaction.
      seen = await layer.rowOf(key)
    }

    await layer.send(key)

    expect(seen).toMatchObject({ phase: 'started' })
  })

  it('frees the key where beginning failed, and says what failed', async () => {
    const key = newKey()
    const broken = {
      ...layer.operation,
      begin: async () => {
        throw new Error('out of labels')
      },
    }

    const attempt = layer.idempotency.execute(broken, { scope: 'mina', key, input: { to: 'mina' } })

    await expect(attempt).rejects.toThrow('out of labels')
    expect(await layer.rowOf(key)).toMatchObject({
      phase: 'claimed',
      lease_until: null,
      resume_at: null,
      expires_at: expect.any(Date),
    })
    expect(await layer.send(key)).toMatchObject({ status: 201 })
  })

  it('answers "outcome unknown" where the answer could not be stored, and finishes later', async () => {
    const key = newKey()
    const broken = {
      ...layer.operation,
      settle: async () => {
        throw new Error('disk full')
      },
    }

    const unknown = await layer.idempotency.execute(broken, {
      scope: 'mina',
      key,
      input: { to: 'mina' },
    })

    expect(typeOf(unknown)).toBe('outcome-unknown')
    expect(layer.lines.join()).toContain('disk full')
    expect(await layer.rowOf(key)).toMatchObject({
      phase: 'started',
      lease_until: null,
      body: null,
    })
    expect(await layer.send(key)).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
    expect(layer.office.sent.size).toBe(1)
  })

  it('writes no key to the log, whatever goes wrong', async () => {
    const key = newKey()
    layer.office.isRoadBlocked = true

    await layer.send(key)

    const row = await layer.rowOf(key)
    expect(layer.lines.join('\n')).toContain('the road is blocked')
    expect(layer.lines.join('\n')).not.toContain(key)
    expect(layer.lines.join('\n')).not.toContain(row?.effect_key)
  })
})

describe('a worker frozen past its lease', () => {
  it.each(['claimed', 'started', 'performed'] as const)(
    'at %s: wakes up fenced, and both callers read the same answer',
    async checkpoint => {
      const key = newKey()
      const frozen = await layer.freezeAt(checkpoint, key)
      await layer.expireLeases()

      const taker = await layer.send(key)
      const woken = await frozen.thaw()

      expect(taker).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
      expect(woken).toMatchObject({ status: 201, idempotencyStatus: 'replayed' })
      expect(Buffer.compare(taker.body, woken.body)).toBe(0)
      expect(layer.office.sent.size).toBe(1)
      expect(await layer.rowOf(key)).toMatchObject({ epoch: 2, attempts: 2 })
    },
  )

  it('answers "in progress" where the worker that took over is still at it', async () => {
    const key = newKey()
    const first = await layer.freezeAt('started', key)
    await layer.expireLeases()
    const second = await layer.freezeAt('performed', key)

    expect(typeOf(await first.thaw())).toBe('request-in-progress')
    expect(await second.thaw()).toMatchObject({ status: 201, idempotencyStatus: 'completed' })
  })
})
