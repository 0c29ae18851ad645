import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit, type Violation } from './audit.ts'
import { BROKEN_VARIANTS } from './broken-variants.ts'
import { type RunningChild, startChild } from './child-process.ts'
import type { World } from './client.ts'
import { collectEvidence } from './collect-evidence.ts'
import { payOrder } from './conversation.ts'
import type { ClientEnd } from './evidence.ts'
import { exchange } from './exchange.ts'
import { runInLanes } from './lanes.ts'
import { type OrderPlan, PRINCIPALS, planRun, type RunPlan, WORKERS } from './plan.ts'
import {
  createScratchDatabase,
  disconnectWorkers,
  isSettled,
  prepareOrders,
} from './scratch-database.ts'
import { LEASE_MS, PROVIDER_TIMEOUT_MS } from './situations.ts'
import { Supervisor } from './supervisor.ts'
import { Tally } from './tally.ts'

const SHOP = new URL('../src/main.ts', import.meta.url)
const BROKEN_SHOP = new URL('./broken-server.ts', import.meta.url)
const PROVIDER = new URL('../src/provider/main.ts', import.meta.url)

const COMPLETE_EVERY_MS = 200
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
  const variant = options.variant === undefined ? undefined : BROKEN_VARIANTS[options.variant]
  const { patienceMs, settleMs } = variant ? BROKEN : HONEST
  const plan = planRun({ seed, orders, situations: variant?.situations })
  const tally = new Tally()
  const lines: string[] = []
  const surprises: Violation[] = []
  const cleanUps: (() => Promise<unknown>)[] = []
  try {
    const folder = await mkdtemp(join(tmpdir(), 'checkout-chaos-'))
    cleanUps.unshift(() => rm(folder, { recursive: true }))
    const database = await createScratchDatabase(serverUrl)
    cleanUps.unshift(() => database.drop())

    const provider = startChild(PROVIDER, { DATA_DIR: folder }, line => lines.push(line))
    cleanUps.unshift(() => kill(provider))
    const providerUrl = await provider.url
    const env = {
      DATABASE_URL: database.url,
      PROVIDER_URL: providerUrl,
      FAULTS: '1',
      LEASE_MS: String(LEASE_MS),
      PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
      COMPLETE_EVERY_MS: String(COMPLETE_EVERY_MS),
      ...(options.variant && { VARIANT: options.variant }),
    }
    const supervisor = await Supervisor.start(
      {
        workers: WORKERS,
        start: () => startChild(variant ? BROKEN_SHOP : SHOP, env, line => lines.push(line)),
        onCrash: checkpoint => tally.add(`crash@${checkpoint ?? 'one of several'}`),
        onFailedStart: () => tally.add('failed start'),
        onUnexpectedEnd: detail => surprises.push({ kind: 'unexpected', detail }),
      },
      async () => {
        await prepareOrders(database.client, plan.orders)
        if (variant?.sql) await database.client.query(variant.sql)
      },
    )
    cleanUps.unshift(() => supervisor.stop())
    const tokens = await logIn(supervisor)
    const world: World = {
      ...{ seed, supervisor, tokens, tally, patienceMs, surprises },
      answers: [],
      disconnectAll: () => disconnectWorkers(database.client),
    }

    const clients: ClientEnd[] = []
    const harmless = takeTurns(() => sleep(ORDER_EVERY_MS))
    // The next crash comes when the last one is made up for, however slow the machine is.
    const deadly = takeTurns(() => sleep(CRASH_EVERY_MS).then(() => supervisor.atFullStrength()))
    let paid = 0
    const payNext = async (order: OrderPlan) => {
      await (order.isDeadly ? deadly.next() : harmless.next())
      signal?.throwIfAborted()
      clients.push(...(await payOrder(world, providerUrl, order)))
      paid += 1
      if (paid % 100 === 0) onProgress(`${paid} of ${orders} orders`)
    }
    await runInLanes(ORDERS_AT_ONCE, plan.orders, payNext)
    await countProviderFaults(providerUrl, plan, tally)
    await sleep(LATE_CHARGES_MS)
    const settledByMs = performance.now() + settleMs
    while (!(await isSettled(database.client)) && performance.now() < settledByMs) {
      signal?.throwIfAborted()
      await sleep(100)
    }
    const { rows } = await database.client.query<{ by: string; count: number }>(
      'SELECT by, count(*)::integer FROM chaos_changes_of_hands GROUP BY by',
    )
    for (const { by, count } of rows) tally.add(`taken over by ${by}`, count)
    const evidence = await collectEvidence({
      ...{ plan, database: database.client, providerUrl, world, clients, lines },
    })
    return { plan, tally, violations: audit(evidence), tookMs: performance.now() - startedAtMs }
  } finally {
    for (const cleanUp of cleanUps) await cleanUp().catch(error => onProgress(String(error)))
  }
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

async function kill(child: RunningChild): Promise<void> {
  child.process.kill('SIGKILL')
  await child.ended
}
