import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { crossOrigin } from './cross-origin.ts'

const app = new Hono()
  .use(crossOrigin(undefined))
  .post('/payments', context => context.text('paid'))

function call(method: string, headers: Record<string, string>) {
  return app.request('/payments', {
    method,
    headers: { Origin: 'http://localhost:5173', ...headers },
  })
}

describe('crossOrigin', () => {
  it('lets a page send a payment with its token and its idempotency key', async () => {
    const { status, headers } = await call('OPTIONS', {
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
    })

    expect(status).toBe(204)
    expect(headers.get('access-control-allow-methods')).toBe('GET,HEAD,POST,PUT,DELETE')
    expect(headers.get('access-control-allow-headers')).toBe(
      'Authorization,Content-Type,Idempotency-Key',
    )
  })

  it('lets a page read how long to wait, and whether an answer is a repetition', async () => {
    const { headers } = await call('POST', {})

    expect(headers.get('access-control-expose-headers')).toBe(
      'Retry-After,Date,Idempotent-Replayed,Idempotency-Status,Location',
    )
  })
})
