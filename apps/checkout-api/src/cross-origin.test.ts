import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { crossOrigin, refuseForeignPages } from './cross-origin.ts'

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
      'Retry-After,Date,Idempotent-Replayed,Idempotency-Status,Location,Link',
    )
  })
})

describe('refuseForeignPages', () => {
  const guarded = new Hono()
    .use(refuseForeignPages())
    .all('/faults', context => context.text('set'))
  const ask = async (method: string, origin?: string) =>
    (await guarded.request('/faults', { method, headers: origin ? { Origin: origin } : {} })).status

  it('refuses what a page from elsewhere sends as if it were a form', async () => {
    expect(await ask('POST', 'https://evil.example')).toBe(403)
    expect(await ask('POST', 'null')).toBe(403)
    expect(await ask('PUT', 'http://localhost.evil.example')).toBe(403)
  })

  it('lets pages of this machine, programs without an origin, and reading through', async () => {
    expect(await ask('POST', 'http://localhost:5173')).toBe(200)
    expect(await ask('POST')).toBe(200)
    expect(await ask('GET', 'https://evil.example')).toBe(200)
  })
})
