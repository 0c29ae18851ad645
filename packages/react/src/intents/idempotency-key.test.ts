import { describe, expect, it, vi } from 'vitest'
import { mintIdempotencyKey } from './idempotency-key.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
/** A page over plain http: no `randomUUID`. */
const plainHttp = {
  getRandomValues: crypto.getRandomValues.bind(crypto) as Crypto['getRandomValues'],
}

describe('mintIdempotencyKey', () => {
  it('is the UUID that crypto.randomUUID gives', () => {
    const randomUUID = () => '00000000-0000-4000-8000-000000000000' as const
    expect(mintIdempotencyKey({ randomUUID })).toBe(randomUUID())
    expect(mintIdempotencyKey()).toMatch(UUID_V4)
  })

  it('is a version 4 UUID also on plain http, where only getRandomValues exists', () => {
    const keys = Array.from({ length: 500 }, () => mintIdempotencyKey(plainHttp))
    for (const key of keys) expect(key).toMatch(UUID_V4)
    expect(new Set(keys).size).toBe(500)
  })

  it('uses every random digit: each of its 31 free places takes all the values it may', () => {
    const keys = Array.from({ length: 600 }, () => mintIdempotencyKey(plainHttp))
    const valuesAt = (place: number) => new Set(keys.map(key => key[place])).size
    const places = Array.from('xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx', (mark, place) => ({
      place,
      expected: mark === 'x' ? 16 : mark === '8' ? 4 : 1,
    }))
    for (const { place, expected } of places) expect(valuesAt(place)).toBe(expected)
  })

  it('throws where neither exists, and never asks Math.random', () => {
    const random = vi.spyOn(Math, 'random')
    expect(() => mintIdempotencyKey({})).toThrow(
      expect.objectContaining({ name: 'IntentError', code: 'NO_SECURE_RANDOM' }),
    )
    mintIdempotencyKey(plainHttp)
    expect(random).not.toHaveBeenCalled()
    random.mockRestore()
  })
})
