import type { ClientPlan, OrderPlan, RunPlan } from './plan.ts'
import type { Tally } from './tally.ts'

/** A kind of trouble that was planned, and how often it really came about. */
export interface Target {
  /** As it is called in the tally. */
  name: string
  planned: number
  hit: number
}

/** Everything that the plan holds and the tally should know of, in the order of their names. */
export function listTargets(plan: RunPlan, tally: Tally): Target[] {
  const planned = new Map<string, number>()
  for (const name of plan.orders.flatMap(namesIn)) planned.set(name, (planned.get(name) ?? 0) + 1)
  return [...planned]
    .map(([name, count]) => ({ name, planned: count, hit: tally.count(name) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

function namesIn(order: OrderPlan): string[] {
  const clients = order.keys.flatMap(key => key.clients)
  return [
    ...order.providerFaults.map(({ kind }) => `provider: ${kind}`),
    ...(order.outage ? [`outage: ${order.outage.kind}`] : []),
    ...(order.keys.some(({ card }) => card !== 'card_ok') ? ['answer: 402 payment-declined'] : []),
    ...(clients.some(({ leaves }) => leaves) ? ['taken over by completer'] : []),
    ...clients.flatMap(namesInClient),
  ]
}

function namesInClient({ attempts }: ClientPlan): string[] {
  return attempts.flatMap(({ action, faultAt, hangsUpAfterMs }) => [
    ...(hangsUpAfterMs === undefined ? [] : ['lost response']),
    // Who hangs up does not see how long it took.
    ...(faultAt && hangsUpAfterMs === undefined ? [faultAt.replace(/:.*/, '')] : []),
    ...(faultAt ? ['taken over by client'] : []),
    ...(action === 'fence' ? ['fenced'] : []),
    ...(action === 'wrong-payload' ? ['wrong payload refused'] : []),
  ])
}
