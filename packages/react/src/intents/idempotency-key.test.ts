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

  it('is another one each time on plain http, where only getRandomValues exists, and fit for a header', () => {
    const keys = Array.from({ length: 500 }, () => mintIdempotencyKey(plainHttp))
    for (const key of keys) expect(key).toMatch(/^\d+-\d+-\d+-\d+$/)
    expect(new Set(keys).size).toBe(500)
  })

  it('uses all 128 random bits, and tells 1-23 from 12-3', () => {
    const from = (...numbers: number[]) =>
      mintIdempotencyKey({ getRandomValues: array => Object.assign(array, numbers) })
    expect(from(1, 23, 0, 4_294_967_295)).toBe('1-23-0-4294967295')
    expect(from(12, 3, 0, 4_294_967_295)).toBe('12-3-0-4294967295')
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
