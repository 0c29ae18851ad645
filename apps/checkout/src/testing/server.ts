import type { Call, Fault, ShopRoute } from '@query-retry/checkout-api'
import { inject } from 'vitest'
import { createFaultSwitches } from '../backstage/fault-switches.ts'

const faults = createFaultSwitches(inject('apiUrl'))

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

  async count(operation: string): Promise<number> {
    return (await this.calls(operation)).length
  },
}
