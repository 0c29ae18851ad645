import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limitBody, readJsonBody } from './json-body.ts'
import { type Listener, listen } from './listen.ts'
import { problemOf } from './testing/test-shop.ts'

let listener: Listener
beforeAll(async () => {
  const app = new Hono().post('/', limitBody(), async context =>
    context.json({ read: (await readJsonBody(context)) ?? 'not JSON' }),
  )
  listener = await listen({ port: 0, host: '127.0.0.1', keepAlive: true, answer: app.fetch })
})
afterAll(() => listener.close())

const post = (init: RequestInit) => fetch(listener.url, { method: 'POST', ...init })

/** A JSON string of so many bytes. */
const jsonOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))

describe('limitBody', () => {
  it('lets 16,384 bytes through and answers one more with 413', async () => {
    expect((await post({ body: jsonOf(16_384) })).status).toBe(200)
    const refused = await post({ body: jsonOf(16_385) })
    expect(refused.status).toBe(413)
    expect(await problemOf(refused)).toBe('body-too-large')
  })

  it.each([10, 100_000])('answers a chunked body of %i bytes with 411', async bytes => {
    const body = new Blob([jsonOf(bytes)]).stream()

    const refused = await post({ body, duplex: 'half' } as RequestInit)

    expect(refused.status).toBe(411)
    expect(await problemOf(refused)).toBe('length-required')
  })

  it('lets a request without a body through', async () => {
    expect(await (await post({})).json()).toEqual({ read: 'not JSON' })
  })
})

describe('readJsonBody', () => {
  it.each(['', '{', 'undefined', '{"a":1} trailing', '\ufeff{}garbage'])(
    'gives undefined for %j, which is not JSON',
    async body => {
      expect(await (await post({ body })).json()).toEqual({ read: 'not JSON' })
    },
  )
})
