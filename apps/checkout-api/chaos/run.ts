import { setTimeout as sleep } from 'node:timers/promises'
import { audit, type Violation } from './audit.ts'
import { BROKEN_VARIANTS } from './broken-variants.ts'
import type { World } from './client.ts'
import { collectEvidence } from './collect-evidence.ts'
import { payOrder } from './conversation.ts'
import type { ClientEnd } from './evidence.ts'
import { exchange } from './exchange.ts'
import { runInLanes } from './lanes.ts'
import { type OrderPlan, PRINCIPALS, planRun, type RunPlan } from './plan.ts'
import { countChangesOfHands, disconnectWorkers, isSettled } from './scratch-database.ts'
import { openStage, type Stage } from './stage.ts'
import type { Supervisor } from './supervisor.ts'
import { Tally } from './tally.ts'

/** More at a time would keep two processors too busy to be on time for anything. */
const ORDERS_AT_ONCE = 32
/** Evenly, so that not everything of a run falls into its first second. */
const ORDER_EVERY_MS = 40
const CRASH_EVERY_MS = 250
/** How long what is slow may take. A broken server never comes to rest; nobody waits long for it. */
const HONEST = { patienceMs: 40_000, settleMs: 30_000 }
const BROKEN = { patienceMs: 4_000, settleMs: 2_500 }
/** Charges that come late are all made by then. */
const LATE_CHARGES_MS = 1_300

export interface RunOptions {
  /** Any database of a PostgreSQL server on which databases may be created. */
  serverUrl: string
  seed: number
  orders: number
  /** A name of BROKEN_VARIANTS. Default: the server as it is. */
  variant?: string | undefined
  /** Ends the run and every process it started. */
  signal?: AbortSignal | undefined
  onProgress?: (line: string) => void
}

export interface RunReport {
  plan: RunPlan
  tally: Tally
  violations: Violation[]
  tookMs: number
}

/**
 * Pays orders on real processes while everything fails around them, waits until all is quiet, and
 * audits what is left behind.
 */
export async function runChaos(options: RunOptions): Promise<RunReport> {
  const { serverUrl, seed, orders, signal, onProgress = () => undefined } = options
  const startedAtMs = performance.now()
  const broken = findVariant(options.variant)
  const { patienceMs, settleMs } = broken ? BROKEN : HONEST
  const plan = planRun({ seed, orders, situations: broken?.variant.situations })
  const tally = new Tally()
  const surprises: Violation[] = []
  const stage = await openStage({
    ...{ serverUrl, orders: plan.orders, variant: broken, tally, surprises },
  })
  try {
    const { supervisor, database, providerUrl, lines } = stage
    const tokens = await logIn(supervisor)
    const world: World = {
      ...{ seed, supervisor, tokens, tally, patienceMs, surprises },
      answers: [],
      disconnectAll: () => disconnectWorkers(database.client),
    }
    const clients = await payAll(world, providerUrl, plan, { signal, onProgress })
    await countProviderFaults(providerUrl, plan, tally)
    await settle(stage, settleMs, signal)
    for (const { by, count } of await countChangesOfHands(database.client))
      tally.add(`taken over by ${by}`, count)
    const evidence = await collectEvidence({
      ...{ plan, database: database.client, providerUrl, world, clients, lines },
    })
    return { plan, tally, violations: audit(evidence), tookMs: performance.now() - startedAtMs }
  } finally {
    await stage.close()
  }
}

async function payAll(
  world: World,
  providerUrl: string,
  plan: RunPlan,
  { signal, onProgress }: { signal: AbortSignal | undefined; onProgress: (line: string) => void },
): Promise<ClientEnd[]> {
  const clients: ClientEnd[] = []
  const harmless = takeTurns(() => sleep(ORDER_EVERY_MS))
  // The next crash comes when the last one is made up for, however slow the machine is.
  const deadly = takeTurns(() =>
    sleep(CRASH_EVERY_MS).then(() => world.supervisor.atFullStrength()),
  )
  let paid = 0
  const payNext = async (order: OrderPlan) => {
    await (order.isDeadly ? deadly.next() : harmless.next())
    signal?.throwIfAborted()
    clients.push(...(await payOrder(world, providerUrl, order)))
    paid += 1
    if (paid % 100 === 0) onProgress(`${paid} of ${plan.orders.length} orders`)
  }
  await runInLanes(ORDERS_AT_ONCE, plan.orders, payNext)
  return clients
}

/** Waits until nothing is at work any more, or for `settleMs`: the audit finds what is not. */
async function settle(
  { database }: Stage,
  settleMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await sleep(LATE_CHARGES_MS)
  const untilMs = performance.now() + settleMs
  while (!(await isSettled(database.client)) && performance.now() < untilMs) {
    signal?.throwIfAborted()
    await sleep(100)
  }
}

function findVariant(name: string | undefined) {
  const variant = name === undefined ? undefined : BROKEN_VARIANTS[name]
  return name !== undefined && variant ? { name, variant } : undefined
}

/** One after another: each turn comes `pause` after the one before. */
function takeTurns(pause: () => Promise<void>): { next(): Promise<void> } {
  let last = Promise.resolve()
  return {
    next() {
      last = last.then(pause)
      return last
    },
  }
}

async function logIn(supervisor: Supervisor): Promise<Map<string, string>> {
  const tokens = new Map<string, string>()
  for (const visitor of PRINCIPALS) {
    const response = await fetch(`${supervisor.worker(0)?.url}/session`, {
      method: 'POST',
      body: JSON.stringify({ visitor }),
    })
    const { token } = (await response.json()) as { token: string }
    tokens.set(visitor, token)
  }
  return tokens
}

/** What was planned and is not left has hit; what is left goes. */
async function countProviderFaults(url: string, plan: RunPlan, tally: Tally): Promise<void> {
  for (const { kind, calls } of plan.orders.flatMap(order => order.providerFaults)) {
    tally.add(`provider: ${kind}`, calls)
  }
  const response = await fetch(`${url}/faults`)
  const { faults } = (await response.json()) as { faults: { kind: string; calls: number }[] }
  for (const { kind, calls } of faults) tally.add(`provider: ${kind}`, -calls)
  await exchange({ url: `${url}/faults`, method: 'DELETE' })
}
