import type { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../database/database.ts'
import { DEMO_VISITOR } from '../demo-visitor.ts'
import { openTestDatabase } from '../testing/test-database.ts'
import type { VisitorEnv } from './require-visitor.ts'
import { sessionRoutes } from './session-routes.ts'
import { hashSessionToken } from './session-token.ts'
import type { Login } from './sessions.ts'

let database: Database
let close: () => Promise<void>
let app: Hono<VisitorEnv>

beforeAll(async () => {
  ;({ database, close } = await openTestDatabase())
  app = sessionRoutes(database)
})
afterAll(() => close())

function post(body: string): Promise<Response> {
  return Promise.resolve(app.request('/session', { method: 'POST', body }))
}

async function logIn(visitor = 'mina'): Promise<Login> {
  const response = await post(JSON.stringify({ visitor }))
  expect(response.status).toBe(201)
  return (await response.json()) as Login
}

function ask(path: string, authorization?: string, method = 'GET'): Promise<Response> {
  const headers = new Headers(authorization === undefined ? [] : [['Authorization', authorization]])
  return Promise.resolve(app.request(path, { method, headers }))
}

async function expectLoginRequired(response: Response): Promise<void> {
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toEqual({
    type: 'https://query-retry.example/problems/login-required',
    status: 401,
    title: 'Log in first',
    detail: 'Send Authorization: Bearer <token>, with a token from POST /session.',
  })
}

describe('POST /session', () => {
  it('hands out a token of 256 bits and says whom it stands for, in two languages', async () => {
    const { token, visitor } = await logIn('jun')

    expect(token).toMatch(/^[\w-]{43}$/)
    expect(visitor).toEqual({ id: 'jun', name: { en: 'Jun', ko: '준' } })
    expect((await logIn('jun')).token).not.toBe(token)
  })

  it('knows the visitor that the shop shows without a login by the same name', async () => {
    expect((await logIn(DEMO_VISITOR.id)).visitor).toEqual(DEMO_VISITOR)
  })

  it("stores the token's SHA-256 and nothing else of it, for 12 hours", async () => {
    const { token } = await logIn()

    const rows = await database.query(
      `SELECT visitor_id, expires_at - created_at = interval '12 hours' AS lasts_12_hours
         FROM sessions WHERE token_hash = $1`,
      [hashSessionToken(token)],
    )

    expect(rows).toEqual([{ visitor_id: 'mina', lasts_12_hours: true }])
    const everything = await database.query<{ text: string }>(
      "SELECT session::text || encode(token_hash, 'escape') AS text FROM sessions AS session",
    )
    expect(everything.map(row => row.text).join()).not.toContain(token)
  })

  it('removes the sessions that have expired, and no other', async () => {
    const [expired, alive] = [await logIn(), await logIn()]
    await expire(expired.token)

    await logIn()

    expect(await isStored(expired.token)).toBe(false)
    expect(await isStored(alive.token)).toBe(true)
  })

  it.each(['nobody', 'MINA', "mina'--", '\0', '\ud800'])(
    'answers 404 for a visitor that does not exist: %j',
    async visitor => {
      const response = await post(JSON.stringify({ visitor }))

      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({
        type: 'https://query-retry.example/problems/visitor-not-found',
        status: 404,
        title: 'There is no such visitor',
        detail: 'The demo has mina and jun.',
      })
    },
  )

  const VISITOR = 'the id of a visitor, for example "mina"'
  const WHOLE = 'a JSON object { visitor: string }'

  it.each([
    ['no visitor', '{}', 'visitor', 'undefined', VISITOR],
    ['a number', '{"visitor":1}', 'visitor', '1', VISITOR],
    ['nobody', '{"visitor":""}', 'visitor', '""', VISITOR],
    [
      'a novel',
      JSON.stringify({ visitor: 'x'.repeat(101) }),
      'visitor',
      `"${'x'.repeat(99)}`,
      VISITOR,
    ],
    ['a password', '{"visitor":"mina","password":"x"}', 'password', 'not shown', 'no such field'],
    ['null', 'null', 'body', 'null', WHOLE],
    ['broken JSON', '{"visitor":', 'body', 'not JSON', WHOLE],
  ])('refuses %s: 400 names field, value and what is accepted', async (_, body, ...error) => {
    const response = await post(body)

    expect(response.status).toBe(400)
    const [field, value, accepted] = error
    expect(await response.json()).toMatchObject({ errors: [{ field, value, accepted }] })
  })

  it('refuses a body of more than 16 KiB with 413', async () => {
    const body = JSON.stringify({ visitor: 'x'.repeat(16_384) })
    const response = await app.request('/session', {
      method: 'POST',
      headers: { 'Content-Length': String(body.length) },
      body,
    })

    expect(response.status).toBe(413)
  })
})

describe('GET /session', () => {
  it('says who is logged in, however the scheme is written', async () => {
    const { token, visitor } = await logIn('jun')

    for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
      const response = await ask('/session', `${scheme} ${token}`)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ visitor })
    }
  })
})

describe('requireVisitor', () => {
  it.each([undefined, '', 'Bearer', 'Bearer ', 'Bearer unknown', 'Basic bWluYTo=', 'Bearer a b'])(
    'answers 401 login-required to Authorization: %s',
    async authorization => {
      await expectLoginRequired(await ask('/session', authorization))
    },
  )

  it('answers 401 once the token has expired', async () => {
    const { token } = await logIn()
    await expire(token)

    await expectLoginRequired(await ask('/session', `Bearer ${token}`))
  })

  it('does not take the stored hash for a token', async () => {
    const { token } = await logIn()
    const hash = Buffer.from(hashSessionToken(token))

    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      await expectLoginRequired(await ask('/session', `Bearer ${hash.toString(encoding)}`))
  })

  it('asks the database once per request', async () => {
    const { token } = await logIn()
    const asked: string[] = []
    const watched = sessionRoutes({
      ...database,
      query: (sql, parameters) => {
        asked.push(sql)
        return database.query(sql, parameters)
      },
    })

    await watched.request('/session', { headers: { Authorization: `Bearer ${token}` } })

    expect(asked).toHaveLength(1)
  })
})

describe('DELETE /session', () => {
  it('makes the token worthless, and no other token of the visitor', async () => {
    const [one, other] = [await logIn(), await logIn()]

    const response = await ask('/session', `Bearer ${one.token}`, 'DELETE')

    expect(response.status).toBe(204)
    await expectLoginRequired(await ask('/session', `Bearer ${one.token}`))
    expect((await ask('/session', `Bearer ${other.token}`)).status).toBe(200)
  })

  it('answers 204 again when it is repeated, as after a lost answer', async () => {
    const { token } = await logIn()

    for (const _ of [1, 2])
      expect((await ask('/session', `Bearer ${token}`, 'DELETE')).status).toBe(204)
  })

  it('answers 401 login-required without a token', async () => {
    await expectLoginRequired(await ask('/session', undefined, 'DELETE'))
  })
})

async function expire(token: string): Promise<void> {
  await database.query(
    "UPDATE sessions SET expires_at = now() - interval '1 second' WHERE token_hash = $1",
    [hashSessionToken(token)],
  )
}

async function isStored(token: string): Promise<boolean> {
  const rows = await database.query('SELECT 1 FROM sessions WHERE token_hash = $1', [
    hashSessionToken(token),
  ])
  return rows.length > 0
}
