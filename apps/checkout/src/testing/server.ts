import type { Call, Charge, Fault, PlacedOrder, ShopRoute } from '@query-retry/checkout-api'
import { inject } from 'vitest'
import { createFaultSwitches } from '../backstage/fault-switches.ts'
import { createProviderDesk } from '../backstage/provider-desk.ts'
import { createSession } from '../session.ts'

const faults = createFaultSwitches(inject('apiUrl'))
const desk = createProviderDesk(inject('providerUrl'))
const session = createSession(inject('apiUrl'))

/** The tests' own line to the server. */
export const server = {
  set: (route: ShopRoute, fault: Fault) => faults.set(route, fault),
  clear: () => faults.clearAll(),
  forgetCalls: () => faults.forgetCalls(),

  /** The calls that reached the server for an operation (`GET /cart`), oldest first. */
  async calls(operation: string): Promise<readonly Call[]> {
    const report = await faults.readCalls()
    return report?.operations[operation]?.calls ?? []
  },

  /** Everything that the server tells of what it received. */
  callReport: () => faults.readCalls(),

  async count(operation: string): Promise<number> {
    return (await this.calls(operation)).length
  },

  /** A new order that awaits payment, of 124,000 won. */
  async placeOrder(): Promise<string> {
    const response = await session.send('/orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
      body: JSON.stringify({ cart: 'cart_demo' }),
    })
    return ((await response.json()) as PlacedOrder).id
  },

  /** Pays such an order from another device, which shares nothing with this browser. */
  async payElsewhere(order: string): Promise<void> {
    const payment = { order, amount: 124_000, currency: 'KRW', paymentMethod: 'card_ok' }
    await session.send('/payments', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
      body: JSON.stringify(payment),
    })
  },
}

/** The tests' own line to the payment provider. */
export const provider = {
  setFaults: desk.setFaults,

  /** What it has really taken for an order. */
  async captured(order: string): Promise<Charge[]> {
    const charges = await desk.readCharges(order)
    return charges?.filter(({ status }) => status === 'captured') ?? []
  },
}
