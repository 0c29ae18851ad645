import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningChild, startChild } from '../child-process.ts'
import { CHECKPOINTS, type Checkpoint } from '../idempotency/checkpoint.ts'
import { type RunningProvider, startProvider } from '../provider/provider.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { problemOf, shopClient } from '../testing/test-shop.ts'

/**
 * The server as a process of its own, killed with SIGKILL (no handler runs) wherever it may hurt, and
 * started again on the same data. The provider lives on, as it would.
 */
const LEASE_MS = 700
const PROVIDER_TIMEOUT_MS = 400
const SETTLED_WITHIN_MS = 20_000
const CART_TOTAL = 124_000

let folder: string
let databaseUrl: string | undefined
let drop: () => Promise<void>
let provider: RunningProvider
let server: RunningChild
let shop: Awaited<ReturnType<typeof shopClient>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkout-api-'))
  ;({ databaseUrl, drop } = await createTestDatabase())
  provider = await startProvider()
  await start()
})
afterAll(async () => {
  server.process.kill('SIGKILL')
  await server.ended
  await provider.close()
  await drop()
  await rm(folder, { recursive: true })
})

const env = () => ({
  DATA_DIR: folder,
  ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  PROVIDER_URL: provider.url,
  PROVIDER_TIMEOUT_MS: `${PROVIDER_TIMEOUT_MS}`,
  LEASE_MS: `${LEASE_MS}`,
  COMPLETE_EVERY_MS: '100',
  FAULTS: '1',
})

async function start(): Promise<void> {
  server = startChild(new URL('../main.ts', import.meta.url), env(), () => undefined)
  shop = await shopClient(await server.url, provider.url)
}

let order: string
let key: string
beforeEach(beginOrder)

async function beginOrder(): Promise<void> {
  await shop.setProviderFaults()
  const placed = (await (await shop.placeCart(randomUUID())).json()) as { id: string }
  order = placed.id
  key = randomUUID()
}

const pay = (headers: Record<string, string> = {}) =>
  shop.pay({ key, order, amount: CART_TOTAL, headers })

const statusOf = async (id: string) =>
  ((await (await fetch(`${shop.url}/orders/${id}`)).json()) as { status: string }).status

/** As a client does that was told nothing: the same request until there is an answer for good. */
async function payUntilAnswered(): Promise<Response> {
  let response = await pay()
  await expect
    .poll(
      async () => {
        if (response.headers.has('idempotency-status')) return true
        response = await pay()
        return response.headers.has('idempotency-status')
      },
      { timeout: SETTLED_WITHIN_MS, interval: 50 },
    )
    .toBe(true)
  return response
}

async function expectOneChargeAndPaid(): Promise<void> {
  await expect.poll(() => statusOf(order), { timeout: SETTLED_WITHIN_MS }).toBe('paid')
  expect(await shop.ledger(order)).toMatchObject([{ status: 'captured', amount: CART_TOTAL }])
  const lookUp = await (await shop.lookUp(key)).json()
  expect(lookUp).toMatchObject({ state: 'done', answer: { status: 201, body: { order } } })
}

/** Where the process dies, and what has to go wrong before that for it to get there. */
const DEATHS: [string, () => Promise<unknown>][] = CHECKPOINTS.map(checkpoint => [
  `at "${checkpoint}"`,
  () => dieAt(checkpoint),
])

async function dieAt(checkpoint: Checkpoint): Promise<void> {
  await dieOf(async () => {
    // A worker lets go only of what it does not know the outcome of.
    if (checkpoint === 'released') await shop.setProviderFaults({ kind: 'lost-after', calls: 1 })
    return pay({ 'Fault-At': `crash@${checkpoint}` })
  })
}

/**
 * Where there is an answer the process lives: on a busy machine the lease may run out before the
 * checkpoint, and the payment goes to somebody who is not to die. Then the same with another order.
 */
async function dieOf(send: () => Promise<Response>): Promise<void> {
  while (await send().catch(() => undefined)) await beginOrder()
}

DEATHS.push([
  'while the provider charges',
  async () => {
    await shop.setProviderFaults({ kind: 'slow', delayMs: 60_000, calls: 1 })
    const lost = pay().catch(() => undefined)
    await expect.poll(() => shop.ledger(order)).toHaveLength(1)
    server.process.kill('SIGKILL')
    await lost
  },
])

describe('a server that is killed', () => {
  describe.each(DEATHS)('%s', (_, die) => {
    it('settles the payment with one charge when its client asks again', async () => {
      await die()
      expect(await server.ended).toMatchObject({ signal: 'SIGKILL' })
      await start()

      const response = await payUntilAnswered()

      expect(response.status).toBe(201)
      await expectOneChargeAndPaid()
    })

    it('settles the payment with one charge without its client', async () => {
      await die()
      expect(await server.ended).toMatchObject({ signal: 'SIGKILL' })
      await start()

      await expectOneChargeAndPaid()
    })
  })

  it('leaves a declined order open, with nothing captured', async () => {
    const declined = { amount: CART_TOTAL, paymentMethod: 'card_declined' }
    await dieOf(() =>
      shop.pay({ ...declined, key, order, headers: { 'Fault-At': 'crash@performed' } }),
    )
    await server.ended
    await start()

    await expect
      .poll(async () => (await shop.lookUp(key)).json(), { timeout: SETTLED_WITHIN_MS })
      .toMatchObject({ state: 'done', answer: { status: 402 } })
    expect(await statusOf(order)).toBe('open')
    expect(await shop.ledger(order)).toMatchObject([{ status: 'declined' }])
  })
})

describe('a server that is killed after it has begun nothing', () => {
  it('keeps a refusal that was stored and not told', async () => {
    const wrong = { key, order, amount: 1 }
    await shop.pay({ ...wrong, headers: { 'Fault-At': 'crash@finished' } }).catch(() => undefined)
    await server.ended
    await start()

    const again = await shop.pay(wrong)

    expect(again.headers.get('idempotency-status')).toBe('replayed')
    expect(await problemOf(again)).toBe('order-changed')
    expect(await shop.ledger(order)).toEqual([])
  })

  it('leaves a key that met a busy order to its client', async () => {
    await shop.setProviderFaults({ kind: 'slow', delayMs: 60_000, calls: 1 })
    const first = pay().catch(() => undefined)
    await expect.poll(() => shop.ledger(order)).toHaveLength(1)
    const other = { key: randomUUID(), order, amount: CART_TOTAL }
    await shop.pay({ ...other, headers: { 'Fault-At': 'crash@released' } }).catch(() => undefined)
    await Promise.all([first, server.ended])
    await start()

    await expectOneChargeAndPaid()
    expect(await (await shop.lookUp(other.key)).json()).toEqual({ state: 'waiting' })
    expect(await problemOf(await shop.pay(other))).toBe('order-already-paid')
  })
})

describe.runIf(process.env.TEST_DATABASE_URL)('two servers on one PostgreSQL server', () => {
  it('a process frozen past its lease is fenced when it wakes; both callers read the same answer', async () => {
    const other = startChild(new URL('../main.ts', import.meta.url), env(), () => undefined)
    const otherShop = await shopClient(await other.url, provider.url)
    const body = { key, order, amount: CART_TOTAL }
    // Long enough for the signal to find the worker on its way, whatever the machine does meanwhile.
    const frozen = otherShop.pay({ ...body, headers: { 'Fault-At': 'freeze@performed:1000' } })
    // No transaction is open then: a process stopped in one would hold its locks for a while.
    await expect.poll(() => shop.ledger(order)).toHaveLength(1)
    other.process.kill('SIGSTOP')

    const taken = await payUntilAnswered()
    other.process.kill('SIGCONT')
    const woken = await frozen

    expect([taken.status, woken.status]).toEqual([201, 201])
    expect(woken.headers.get('idempotency-status')).toBe('replayed')
    expect(await woken.text()).toBe(await taken.text())
    await expectOneChargeAndPaid()
    other.process.kill('SIGKILL')
    await other.ended
  })
})
