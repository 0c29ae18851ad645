import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installFakeTime } from './testing-support/conversation.ts'
import { fetchOverHttp } from './testing-support/http-conversation.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())
installFakeTime()

describe('over HTTP', () => {
  it.each([400, 401, 403, 404, 405, 409, 410, 413, 418, 422, 425, 451, 500, 501, 505, 507, 511])(
    'a %d is sent once',
    async status => {
      server.use(http.get('https://shop.test/cart', () => new HttpResponse(null, { status })))
      const { sentAtMs, error, stopReasons } = await fetchOverHttp('https://shop.test/cart')
      expect(sentAtMs).toEqual([0])
      expect(error).toMatchObject({ status })
      expect(stopReasons).toEqual(['not-retryable'])
    },
  )

  it.each([408, 429, 502, 503, 504])('a %d is sent 5 times', async status => {
    server.use(http.get('https://shop.test/cart', () => new HttpResponse(null, { status })))
    const { sentAtMs, error, stopReasons } = await fetchOverHttp('https://shop.test/cart')
    expect(sentAtMs).toEqual([0, 600, 1_700, 3_800, 7_900])
    expect(error).toMatchObject({ status })
    expect(stopReasons).toEqual(['retries-exhausted'])
  })

  it('a lost connection is sent again', async () => {
    let calls = 0
    server.use(
      http.get('https://shop.test/cart', () =>
        calls++ === 0 ? HttpResponse.error() : HttpResponse.json(['tea']),
      ),
    )
    const { sentAtMs, data } = await fetchOverHttp('https://shop.test/cart')
    expect(sentAtMs).toEqual([0, 600])
    expect(data).toEqual(['tea'])
  })

  it.each([
    ['an abort of the caller', () => AbortSignal.abort().throwIfAborted()],
    ['a property of nothing', () => (undefined as unknown as { id: string }).id],
    ['a call of what is no function', () => (JSON as unknown as { read(): void }).read()],
    ['a body that is no JSON', () => JSON.parse('<html>')],
  ])('%s is never sent again', async (_, mistake) => {
    const { sentAtMs, error } = await fetchOverHttp('', async () => mistake())
    expect(sentAtMs).toEqual([0])
    expect(error).toBeInstanceOf(Error)
  })
})
