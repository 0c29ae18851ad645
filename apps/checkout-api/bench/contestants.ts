import { randomUUID } from 'node:crypto'
import { createApp } from '../src/app.ts'
import type { Database } from '../src/database/database.ts'
import { Idempotency } from '../src/idempotency/idempotency.ts'
import { DEFAULT_RETENTION } from '../src/idempotency/retention.ts'
import { type Listener, listen } from '../src/listen.ts'
import { paymentOperation } from '../src/payments/payment-operation.ts'
import type { PaymentProvider } from '../src/payments/provider-client.ts'
import { barePaymentRoutes } from './bare-payments.ts'
import { countRoundTrips } from './counting-database.ts'

/**
 * Answers at once: a real provider takes hundreds of milliseconds, beside which nothing else of a
 * payment could be seen.
 */
const instantProvider: PaymentProvider = {
  charge: async () => ({
    status: 'captured',
    providerChargeId: `ch_${randomUUID()}`,
    createdAt: new Date().toISOString(),
  }),
  find: async () => undefined,
}

/** One kind of request; `prepare` runs before the clock starts and gives what is sent. */
export interface Contestant {
  name: string
  prepare(count: number): Promise<(() => Promise<Response>)[]>
}

export interface Arena {
  contestants: Contestant[]
  /** Round trips to the database of one request, by the contestant's name. */
  countRoundTrips(): Promise<Map<string, number>>
  close(): Promise<void>
}

const AMOUNT = 100

/** The shop's app on a socket, with a second payment route that has no idempotency layer. */
export async function openArena(opened: Database): Promise<Arena> {
  const database = countRoundTrips(opened)
  const log = (line: string) => console.error(line)
  const payment = paymentOperation(instantProvider)
  const operations = [payment]
  const idempotency = new Idempotency({ database, retention: DEFAULT_RETENTION, operations, log })
  const app = createApp({ database, idempotency, payment, log })
  app.route('/', barePaymentRoutes(database, payment))
  const listener = await listen({ port: 0, host: '127.0.0.1', keepAlive: true, answer: app.fetch })
  const contestants = await createContestants(database, listener)

  return {
    contestants,
    async countRoundTrips() {
      const counts = new Map<string, number>()
      for (const { name, prepare } of contestants) {
        const [send] = await prepare(1)
        database.roundTrips = 0
        await send?.()
        counts.set(name, database.roundTrips)
      }
      return counts
    },
    close: () => listener.close(),
  }
}

async function createContestants(database: Database, { url }: Listener): Promise<Contestant[]> {
  const login = await fetch(`${url}/session`, { method: 'POST', body: '{"visitor":"mina"}' })
  const { token } = (await login.json()) as { token: string }
  const headers = { Authorization: `Bearer ${token}` }

  const placeOrders = async (count: number) => {
    const orders = Array.from({ length: count }, () => `ord_${randomUUID()}`)
    await database.query(
      `INSERT INTO orders (id, status, amount, currency, placed_by, placed_at)
       SELECT id, 'open', $2, 'KRW', 'mina', clock_timestamp() FROM unnest($1::text[]) AS id`,
      [orders, AMOUNT],
    )
    return orders
  }
  const pay = (path: string, order: string, key: string) =>
    fetch(url + path, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': key },
      body: JSON.stringify({ order, amount: AMOUNT, currency: 'KRW', paymentMethod: 'card_ok' }),
    })
  const payNew = async (path: string, count: number) =>
    (await placeOrders(count)).map(order => () => pay(path, order, randomUUID()))

  const [order = ''] = await placeOrders(1)
  const key = randomUUID()
  const paid = (await (await pay('/payments', order, key)).json()) as { id: string }

  return [
    { name: 'new payment, no layer', prepare: count => payNew('/bare-payments', count) },
    { name: 'new payment', prepare: count => payNew('/payments', count) },
    {
      name: 'plain read, GET /payments/:id',
      prepare: async count =>
        Array.from({ length: count }, () => () => fetch(`${url}/payments/${paid.id}`, { headers })),
    },
    {
      name: 'replay, POST /payments',
      prepare: async count =>
        Array.from({ length: count }, () => () => pay('/payments', order, key)),
    },
  ]
}
