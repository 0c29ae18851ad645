import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../listen.ts'
import { Cashier } from './cashier.ts'
import { chargeRoutes } from './charge-routes.ts'
import type { ProviderFault } from './fault.ts'
import { FaultPlan } from './fault-plan.ts'
import { Ledger } from './ledger.ts'
import { type RunningProvider, startProvider } from './provider.ts'
import { lookUp, ORDER, readLedger, sendCharge } from './testing/send-charge.ts'

/** Longer than any test may take: what waits for it fails. */
const FOR_EVER_MS = 600_000
/** A key and a reference for each test, so that one provider serves them all. */
let name: string
let counter = 0
let provider: RunningProvider

beforeAll(async () => {
  provider = await startProvider()
})
afterEach(() => fetch(`${provider.url}/faults`, { method: 'DELETE' }))
afterAll(() => provider.close())

async function plan(...faults: ProviderFault[]): Promise<void> {
  name = `order-${++counter}`
  await fetch(`${provider.url}/faults`, { method: 'PUT', body: JSON.stringify({ faults }) })
}

function pay(changes: Partial<typeof ORDER> = {}): Promise<Response> {
  return sendCharge(provider.url, name, { reference: name, ...changes })
}

function charges() {
  return readLedger(provider.url, `?reference=${name}`)
}

describe('a fault of POST /charges', () => {
  it('decline: stored as any other result, and repeated when the fault is over', async () => {
    await plan({ kind: 'decline', declineCode: 'lost-card', calls: 1 })

    const first = await pay()
    const second = await pay()

    expect(first.status).toBe(402)
    expect(second.status).toBe(402)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    const body = await first.text()
    expect(await second.text()).toBe(body)
    expect(await (await lookUp(provider.url, name)).text()).toBe(body)
    expect(JSON.parse(body)).toMatchObject({ status: 'declined', declineCode: 'lost-card' })
  })

  it('decline: leaves a charge that was captured what it is, and waits for another', async () => {
    await plan()
    await pay()
    await fetch(`${provider.url}/faults`, { method: 'POST', body: '{"kind":"decline","calls":1}' })

    expect((await pay()).status).toBe(201)
    expect((await sendCharge(provider.url, `${name}-another`)).status).toBe(402)
  })

  it('lost-before: the connection ends and nothing was charged; a repeat charges', async () => {
    await plan({ kind: 'lost-before', calls: 1 })

    await expect(pay()).rejects.toThrow(TypeError)
    expect((await lookUp(provider.url, name)).status).toBe(404)
    const second = await pay()

    expect(second.status).toBe(201)
    expect(second.headers.get('idempotent-replayed')).toBeNull()
    expect(await charges()).toHaveLength(1)
  })

  it('lost-after: the connection ends and it was charged; a repeat gets that charge', async () => {
    await plan({ kind: 'lost-after', calls: 1 })

    await expect(pay()).rejects.toThrow(TypeError)
    const found = await lookUp(provider.url, name)
    const second = await pay()

    expect(found.status).toBe(200)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await second.text()).toBe(await found.text())
    expect(await charges()).toHaveLength(1)
  })

  it('lost-after: a decline is lost and stored just so', async () => {
    await plan({ kind: 'lost-after', calls: 1 })

    await expect(pay({ paymentMethod: 'card_declined' })).rejects.toThrow(TypeError)

    expect(await (await lookUp(provider.url, name)).json()).toMatchObject({ status: 'declined' })
  })

  it('lost-after: the connection stays open until the charge is in the ledger', async () => {
    const events: string[] = []
    let finish: () => void = () => undefined
    const ledger = new Ledger({
      append: () =>
        new Promise(resolve => {
          finish = resolve
        }),
    })
    const cashier = new Cashier({
      ledger,
      keyRetentionMs: FOR_EVER_MS,
      nowEpochMs: Date.now,
      log: () => undefined,
    })
    const faults = new FaultPlan()
    faults.add({ kind: 'lost-after' })
    const closing = new AbortController().signal
    const app = chargeRoutes({ cashier, ledger, faults, closing })
    const listener = await listen({
      port: 0,
      host: '127.0.0.1',
      keepAlive: false,
      answer: (request, bindings) => app.fetch(request, bindings),
    })
    const first = sendCharge(listener.url, 'k').catch(() => events.push('closed'))
    await expect.poll(() => cashier.standingOf('k', ORDER)).toBe('known')
    // A call there and back: time enough for a connection that was closed to show it.
    await lookUp(listener.url, 'k')

    events.push('stored')
    finish()
    await first

    expect(events).toEqual(['stored', 'closed'])
    await listener.close()
  })

  it('late-apply: the connection ends at once, and the charge appears by itself', async () => {
    await plan({ kind: 'late-apply', delayMs: 50, calls: 1 })

    await expect(pay()).rejects.toThrow(TypeError)
    await expect.poll(async () => (await lookUp(provider.url, name)).status).toBe(200)
    const repeat = await pay()

    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    expect(await charges()).toHaveLength(1)
  })

  it('late-apply: a repeat during the delay makes the one charge, right then', async () => {
    await plan({ kind: 'late-apply', delayMs: FOR_EVER_MS, calls: 1 })

    await expect(pay()).rejects.toThrow(TypeError)
    expect((await lookUp(provider.url, name)).status).toBe(404)
    expect((await pay({ amount: 1 })).status).toBe(422)
    const repeat = await pay()

    expect(repeat.status).toBe(201)
    expect(repeat.headers.get('idempotent-replayed')).toBeNull()
    expect((await pay()).headers.get('idempotent-replayed')).toBe('true')
    expect(await charges()).toHaveLength(1)
  })

  it('slow: charged before the answer; a repeat meanwhile gets that charge', async () => {
    const slow = await startProvider()
    await fetch(`${slow.url}/faults`, {
      method: 'POST',
      body: JSON.stringify({ kind: 'slow', delayMs: FOR_EVER_MS, calls: 1 }),
    })
    const first = sendCharge(slow.url, 'k')
    await expect.poll(async () => (await lookUp(slow.url, 'k')).status).toBe(200)

    const second = await sendCharge(slow.url, 'k')
    expect(second.headers.get('idempotent-replayed')).toBe('true')

    // Closing ends the wait, not the answer.
    await slow.close()
    const late = await first
    expect(late.status).toBe(201)
    expect(late.headers.get('idempotent-replayed')).toBeNull()
    expect(await late.text()).toBe(await second.text())
  })

  it('slow: the answer comes by itself', async () => {
    await plan({ kind: 'slow', delayMs: 20, calls: 1 })
    expect((await pay()).status).toBe(201)
  })

  it('slow: charged once where the caller gives up and repeats', async () => {
    await plan({ kind: 'slow', delayMs: FOR_EVER_MS, calls: 1 })
    const giveUp = new AbortController()
    const first = fetch(`${provider.url}/charges`, {
      method: 'POST',
      headers: { 'Idempotency-Key': name },
      body: JSON.stringify({ ...ORDER, reference: name }),
      signal: giveUp.signal,
    })
    await expect.poll(async () => (await lookUp(provider.url, name)).status).toBe(200)
    giveUp.abort()
    await expect(first).rejects.toThrow()

    expect((await pay()).headers.get('idempotent-replayed')).toBe('true')
    expect(await charges()).toHaveLength(1)
  })

  it('down: 503 for charges and lookups, nothing charged; the ledger and health still answer', async () => {
    await plan({ kind: 'down' })

    const charge = await pay()
    const lookup = await lookUp(provider.url, name)

    for (const response of [charge, lookup]) {
      expect(response.status).toBe(503)
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      expect(await response.json()).toMatchObject({
        type: 'https://query-retry.example/problems/provider-down',
      })
    }
    expect(await charges()).toEqual([])
    expect((await fetch(`${provider.url}/health`)).status).toBe(200)
  })

  it("down: of one order's charges, their lookups as well and no others", async () => {
    await plan()
    await pay()
    await sendCharge(provider.url, `${name}-other`)
    await fetch(`${provider.url}/faults`, {
      method: 'POST',
      body: JSON.stringify({ kind: 'down', reference: name }),
    })

    expect((await lookUp(provider.url, name)).status).toBe(503)
    expect((await lookUp(provider.url, `${name}-other`)).status).toBe(200)
    expect((await lookUp(provider.url, `${name}-never-charged`)).status).toBe(404)
  })

  it('is not used up by a request that is refused', async () => {
    await plan({ kind: 'lost-after', calls: 1 })

    expect((await pay({ amount: 0 })).status).toBe(400)
    expect((await pay({ paymentMethod: 'card_stolen' })).status).toBe(400)

    await expect(pay()).rejects.toThrow(TypeError)
  })

  it('leaves lookups alone', async () => {
    await plan({ kind: 'lost-before' })
    expect((await lookUp(provider.url, name)).status).toBe(404)
  })

  it('a share draws from the random that was given', async () => {
    const draws = [0.2, 0.8]
    const drawing = await startProvider({ random: () => draws.shift() ?? Number.NaN })
    await fetch(`${drawing.url}/faults`, { method: 'POST', body: '{"kind":"down","share":0.5}' })

    expect((await sendCharge(drawing.url, 'a')).status).toBe(503)
    expect((await sendCharge(drawing.url, 'b')).status).toBe(201)
    await drawing.close()
  })
})
