import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { logLine } from './log-line.ts'
import { hideSecrets } from './secret-parameters.ts'

const ROUTES = [
  { path: '/doors/:door' },
  { path: '/doors/:door/codes/:code/open', secrets: ['code'] },
]

/** A door whose lock repeats the code and the headers it was given, in every way it can. */
const lines: string[] = []
const app = new Hono()
  .post('/doors/:door/codes/:code/open', ({ req }) => {
    const code = req.param('code')
    const key = req.header('Idempotency-Key')
    throw new Error(
      `no ${code}, ${JSON.parse(code.startsWith('"') ? code : '""')}; ${req.path}; ${req.url}; ` +
        `${key}, ${key?.slice(1, -1)}; ${req.header('Authorization')}`,
    )
  })
  .get('/doors/:door', () => {
    throw new Error('locked')
  })
  .onError((error, context) => {
    lines.push(logLine(context.req, error.message, ROUTES))
    return context.text('', 500)
  })

async function lineFor(code: string, headers: Record<string, string> = {}): Promise<string> {
  await app.request(`/doors/7/codes/${code}/open?now=1`, { method: 'POST', headers })
  return lines.at(-1) ?? ''
}

describe('logLine', () => {
  it('names method and path, a secret parameter by its name', async () => {
    expect(await lineFor('s3cret')).toMatch(/^POST \/doors\/7\/codes\/:code\/open: no /)
    await app.request('/doors/7?knock=2')
    expect(lines.at(-1)).toBe('GET /doors/7: locked')
  })

  it.each([
    's3cret',
    's3cret%20two',
    's3cret%2Ftwo',
    's3cret%25two',
    '%22s3cret%22',
    's3cret%E2two',
  ])('leaves nothing of a secret parameter in what an error says about it: %s', async code => {
    expect(await lineFor(code)).not.toContain('s3cret')
  })

  it('leaves neither the idempotency key nor the token in it', async () => {
    const line = await lineFor('1234', {
      'Idempotency-Key': '"k-e-y"',
      Authorization: 'Bearer t0ken',
    })

    expect(line).toMatch(/; \[redacted\], \[redacted\]; Bearer \[redacted\]$/)
  })

  it('leaves no rest of a secret that begins like a shorter one', async () => {
    expect(await lineFor('1234-s3cret', { 'Idempotency-Key': '1234' })).not.toContain('s3cret')
  })
})

describe('hideSecrets', () => {
  const route = { path: '/payments/by-key/:key/fence', secrets: ['key'] }

  it('puts the name of a secret parameter in its place', () => {
    expect(hideSecrets(route, '/payments/by-key/abc/fence')).toEqual({
      path: '/payments/by-key/:key/fence',
      hidden: ['abc'],
    })
  })

  it('leaves the other parameters as they are', () => {
    expect(hideSecrets({ path: '/orders/:id' }, '/orders/ord_1001')).toEqual({
      path: '/orders/ord_1001',
      hidden: [],
    })
  })

  it.each([
    '/payments/by-key/abc',
    '/payments/by-key/a/b/fence',
    '/payments/by-key/abc/fence/',
    '/',
  ])('knows that a path is of another route: %s', path => {
    expect(hideSecrets(route, path)).toBeUndefined()
  })
})
