/**
 * What "same key, one execution" costs the server. Ratios are measured side by side in this one run;
 * absolute figures depend on the machine.
 *
 *   pnpm bench                                                   # PGlite
 *   TEST_DATABASE_URL=postgres://postgres@localhost pnpm bench   # and a PostgreSQL server
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/database/open-database.ts'
import { createTestDatabase } from '../src/testing/test-database.ts'
import { type Contestant, openArena } from './contestants.ts'

const ROUNDS = 15
const WARM_UP = 3
const REQUESTS = 60
const AT_ONCE = 4

const row = (name: string, ...values: string[]) =>
  console.log(`  ${name.padEnd(32)}${values.map(value => value.padStart(14)).join('')}`)

await measure('PGlite, in a folder', undefined)
if (process.env.TEST_DATABASE_URL) {
  const { databaseUrl, drop } = await createTestDatabase()
  await measure('PostgreSQL server', databaseUrl)
  await drop()
} else {
  console.log('PostgreSQL server: not measured, TEST_DATABASE_URL names none')
}

async function measure(engine: string, databaseUrl: string | undefined): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'checkout-bench-'))
  const database = await openDatabase({ databaseUrl, dataDir })
  const arena = await openArena(database)
  const rates = await race(arena.contestants)
  const roundTrips = await arena.countRoundTrips()

  console.log(`${engine}: requests per second, ${AT_ONCE} at once, and round trips of each`)
  for (const [name, perSecond] of rates) {
    row(name, Math.round(perSecond).toLocaleString('en'), `${roundTrips.get(name)} trips`)
  }
  const cost = (name: string, base: string) =>
    `${((rates.get(base) ?? 0) / (rates.get(name) ?? 1)).toFixed(2)} times`
  row('new payment costs', cost('new payment', 'new payment, no layer'))
  row('replay costs', cost('replay, POST /payments', 'plain read, GET /payments/:id'))

  await arena.close()
  await database.close()
  await rm(dataDir, { recursive: true })
}

/** Requests per second as medians of short rounds, each in another order, so that noise hits all alike. */
async function race(contestants: Contestant[]): Promise<Map<string, number>> {
  const rates = new Map<string, number[]>(contestants.map(({ name }) => [name, []]))
  const order = [...contestants]
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const contestant of order.sort(() => Math.random() - 0.5)) {
      const perSecond = await requestsPerSecond(contestant)
      if (round >= WARM_UP) rates.get(contestant.name)?.push(perSecond)
    }
  }
  return new Map([...rates].map(([name, values]) => [name, median(values)]))
}

async function requestsPerSecond({ name, prepare }: Contestant): Promise<number> {
  const requests = await prepare(REQUESTS)
  const start = performance.now()
  const sendNext = async (): Promise<void> => {
    for (let send = requests.pop(); send; send = requests.pop()) {
      const response = await send()
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${name}: ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendNext))
  return (REQUESTS / (performance.now() - start)) * 1_000
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}
