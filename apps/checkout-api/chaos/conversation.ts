import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type World } from './client.ts'
import type { ClientEnd } from './evidence.ts'
import { exchange } from './exchange.ts'
import type { KeyPlan, OrderPlan, Outage } from './plan.ts'

/**
 * One order, paid by four clients at once under two keys; where neither of these has paid it, by one
 * more under a third.
 */
export async function payOrder(
  world: World,
  providerUrl: string,
  order: OrderPlan,
): Promise<ClientEnd[]> {
  for (const fault of order.providerFaults) {
    await exchange({ url: `${providerUrl}/faults`, method: 'POST', body: fault })
  }
  const outage = order.outage && cause(world, order.outage)
  const ends = (await Promise.all(order.keys.map(key => payUnder(world, order, key)))).flat()
  // Where a key has no answer, another would have none either.
  const isStuck = ends.some(({ end }) => end === 'gave-up')
  if (!isStuck && !isPaid(world, order)) ends.push(...(await payUnder(world, order, order.lastKey)))
  await outage
  return ends
}

function payUnder(world: World, order: OrderPlan, key: KeyPlan): Promise<ClientEnd[]> {
  return Promise.all(
    key.clients.map(async plan => ({
      client: plan.name,
      end: await new Client(world, order, key, plan).run(),
    })),
  )
}

/** As far as its clients were told. */
function isPaid({ answers }: World, { principal, keys }: OrderPlan): boolean {
  return answers.some(
    answer =>
      answer.principal === principal &&
      answer.status === 201 &&
      keys.some(({ key }) => key === answer.key),
  )
}

async function cause({ supervisor, disconnectAll, tally }: World, outage: Outage): Promise<void> {
  await sleep(outage.afterMs)
  if (await hit()) tally.add(`outage: ${outage.kind}`)

  async function hit(): Promise<boolean> {
    switch (outage.kind) {
      case 'kill':
        return supervisor.kill(outage.worker)
      case 'stop':
        return supervisor.standStill(outage.worker, outage.forMs)
      case 'disconnect':
        return (await disconnectAll()) > 0
    }
  }
}
