import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../database/database.ts'
import { startSession } from '../session/sessions.ts'
import { openTestDatabase } from '../testing/test-database.ts'
import { type OrderSummary, orderRoutes } from './orders.ts'

let database: Database
let close: () => Promise<void>
let app: ReturnType<typeof orderRoutes>

beforeAll(async () => {
  ;({ database, close } = await openTestDatabase())
  app = orderRoutes(database)
  await database.query(
    `INSERT INTO orders (id, status, amount, currency, placed_by, placed_at)
     VALUES ('ord_2001', 'open', 9000, 'KRW', 'jun', now())`,
  )
})
afterAll(() => close())

async function askAs(visitor: string | undefined, path: string): Promise<Response> {
  const login = visitor === undefined ? undefined : await startSession(database, visitor)
  return app.request(path, login && { headers: { Authorization: `Bearer ${login.token}` } })
}

async function idsFor(visitor: string | undefined): Promise<string[]> {
  const response = await askAs(visitor, '/orders')
  expect(response.status).toBe(200)
  return ((await response.json()) as { orders: OrderSummary[] }).orders.map(order => order.id)
}

const OF_MINA = ['ord_1004', 'ord_1003', 'ord_1002', 'ord_1001']

describe('GET /orders', () => {
  it('lists the orders of who is logged in, and of nobody else', async () => {
    expect(await idsFor('mina')).toEqual(OF_MINA)
    expect(await idsFor('jun')).toEqual(['ord_2001'])
  })

  it("lists those of the demo's visitor without a login", async () => {
    expect(await idsFor(undefined)).toEqual(OF_MINA)
  })
})

describe('GET /orders/:id', () => {
  it.each([
    ['mina', 'ord_1001', 200],
    ['jun', 'ord_1001', 404],
    ['mina', 'ord_2001', 404],
    ['jun', 'ord_2001', 200],
    [undefined, 'ord_1001', 200],
    [undefined, 'ord_2001', 404],
  ])("as %s, %s: %i, and another visitor's order looks like none", async (visitor, id, status) => {
    const response = await askAs(visitor, `/orders/${id}`)

    expect(response.status).toBe(status)
    if (status === 404) {
      const ofNobody = await askAs(visitor, '/orders/ord_9999')
      expect(await response.json()).toEqual(await ofNobody.json())
    }
  })
})

describe('visitorOr', () => {
  it.each(['Bearer unknown', 'Basic bWluYTo=', ''])(
    'never falls back to the demo visitor where an Authorization came that is not good: %j',
    async authorization => {
      for (const path of ['/orders', '/orders/ord_1001', '/orders/ord_9999']) {
        const response = await app.request(path, { headers: { Authorization: authorization } })
        expect(response.status).toBe(401)
        expect(response.headers.get('www-authenticate')).toBe('Bearer')
      }
    },
  )
})
