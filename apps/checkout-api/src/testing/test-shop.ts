import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import { type ProviderOptions, startProvider } from '../provider/provider.ts'
import { type ServerOptions, type ServerSeams, startServer } from '../server.ts'
import { createTestDatabase } from './test-database.ts'

/** A payment of an order that `placeOrder` made. */
export const AMOUNT = 76_000

export interface PayOptions {
  /** Undefined sends none. */
  key?: string | undefined
  order: string
  amount?: number
  paymentMethod?: string
  token?: string
  headers?: Record<string, string>
}

/** What a customer can do, and what the provider's dashboard can. */
export interface ShopClient {
  url: string
  providerUrl: string
  /** Of the visitor `mina`. */
  token: string
  logIn(visitor: string): Promise<string>
  /** `POST /orders`: the cart becomes an order. */
  placeCart(key: string, cart?: string): Promise<Response>
  pay(options: PayOptions): Promise<Response>
  lookUp(key: string, token?: string): Promise<Response>
  fence(key: string, token?: string): Promise<Response>
  /** Replaces the provider's fault plan. */
  setProviderFaults(...faults: object[]): Promise<void>
  /** What the provider has on record for an order. */
  ledger(order: string): Promise<{ id: string; status: string; amount: number }[]>
}

/** The shop's server, its provider and its database, all real, all gone after `close`. */
export interface TestShop extends ShopClient {
  database: Database
  /** What the server logged. */
  lines: string[]
  /** An open order of 76,000 won, from behind the scenes. */
  placeOrder(visitor?: string): Promise<string>
  close(): Promise<void>
}

export async function startTestShop(
  options: ServerOptions & { provider?: ProviderOptions } = {},
  seams: ServerSeams = {},
): Promise<TestShop> {
  const { databaseUrl, initialCluster, drop } = await createTestDatabase()
  const provider = await startProvider(options.provider)
  const lines: string[] = []
  let database: Database | undefined
  const server = await startServer(
    { databaseUrl, providerUrl: provider.url, log: line => lines.push(line), ...options },
    {
      initialCluster,
      ...seams,
      database(opened) {
        database = opened
        return seams.database?.(opened) ?? opened
      },
    },
  )
  if (!database) throw new Error('the server opened no database')
  const opened = database
  return {
    ...(await shopClient(server.url, provider.url)),
    database,
    lines,
    async placeOrder(visitor = 'mina') {
      const id = `ord_${randomUUID()}`
      await opened.query(
        `INSERT INTO orders (id, status, amount, currency, placed_by, placed_at)
         VALUES ($1, 'open', $2, 'KRW', $3, clock_timestamp())`,
        [id, AMOUNT, visitor],
      )
      return id
    },
    async close() {
      await server.close()
      await provider.close()
      await drop()
    },
  }
}

/** Speaks to a shop wherever it runs. */
export async function shopClient(url: string, providerUrl: string): Promise<ShopClient> {
  const logIn = async (visitor: string) => {
    const body = JSON.stringify({ visitor })
    const response = await fetch(`${url}/session`, { method: 'POST', body })
    return ((await response.json()) as { token: string }).token
  }
  const token = await logIn('mina')
  const authorization = (bearer: string) => ({ Authorization: `Bearer ${bearer}` })

  return {
    url,
    providerUrl,
    token,
    logIn,
    pay({ key, order, amount = AMOUNT, paymentMethod = 'card_ok', ...more }: PayOptions) {
      return fetch(`${url}/payments`, {
        method: 'POST',
        headers: {
          ...authorization(more.token ?? token),
          'Content-Type': 'application/json',
          ...(key !== undefined && { 'Idempotency-Key': key }),
          ...more.headers,
        },
        body: JSON.stringify({ order, amount, currency: 'KRW', paymentMethod }),
      })
    },
    placeCart: (key: string, cart = 'cart_demo') =>
      fetch(`${url}/orders`, {
        method: 'POST',
        headers: { ...authorization(token), 'Idempotency-Key': key },
        body: JSON.stringify({ cart }),
      }),
    lookUp: (key: string, bearer = token) =>
      fetch(`${url}/payments/by-key/${encodeURIComponent(key)}`, {
        headers: authorization(bearer),
      }),
    fence: (key: string, bearer = token) =>
      fetch(`${url}/payments/by-key/${encodeURIComponent(key)}/fence`, {
        method: 'POST',
        headers: authorization(bearer),
      }),
    async setProviderFaults(...faults: object[]) {
      const body = JSON.stringify({ faults })
      const response = await fetch(`${providerUrl}/faults`, { method: 'PUT', body })
      if (!response.ok) throw new Error(await response.text())
    },
    async ledger(order: string) {
      const response = await fetch(`${providerUrl}/ledger?reference=${order}`)
      const { charges } = (await response.json()) as {
        charges: { id: string; status: string; amount: number }[]
      }
      return charges
    },
  }
}

/** The slug of a problem's type. */
export async function problemOf(response: Response): Promise<string | undefined> {
  const body = (await response.json()) as { type?: string }
  return body.type?.split('/').at(-1)
}
