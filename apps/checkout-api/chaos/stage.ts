import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningChild, startChild } from '../src/child-process.ts'
import type { Violation } from './audit.ts'
import type { BrokenVariant } from './broken-variants.ts'
import { type OrderPlan, WORKERS } from './plan.ts'
import { createScratchDatabase, prepareOrders, type ScratchDatabase } from './scratch-database.ts'
import { LEASE_MS, PROVIDER_TIMEOUT_MS } from './situations.ts'
import { Supervisor } from './supervisor.ts'
import type { Tally } from './tally.ts'

const SHOP = new URL('../src/main.ts', import.meta.url)
const BROKEN_SHOP = new URL('./broken-server.ts', import.meta.url)
const PROVIDER = new URL('../src/provider/main.ts', import.meta.url)

const LEDGER_FILE = 'ledger.jsonl'
const COMPLETE_EVERY_MS = 200

export interface StageOptions {
  serverUrl: string
  orders: readonly OrderPlan[]
  variant: { name: string; variant: BrokenVariant } | undefined
  tally: Tally
  /** Gets what the processes did that nobody asked them for. */
  surprises: Violation[]
}

/** Everything that a run takes place on, real and its own: database, provider, the shop's server. */
export interface Stage {
  database: ScratchDatabase
  providerUrl: string
  /** Where the provider keeps its ledger: JSON Lines. */
  ledgerPath: string
  supervisor: Supervisor
  /** All that the processes have printed so far. */
  lines: readonly string[]
  /** Ends every process, drops the database, removes the ledger. */
  close(): Promise<void>
}

export async function openStage(options: StageOptions): Promise<Stage> {
  const lines: string[] = []
  const closing: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step()
  }
  try {
    const folder = await mkdtemp(join(tmpdir(), 'checkout-chaos-'))
    closing.push(() => rm(folder, { recursive: true }))
    const database = await createScratchDatabase(options.serverUrl)
    closing.push(() => database.drop())
    const provider = startChild(PROVIDER, { DATA_DIR: folder }, line => lines.push(line))
    closing.push(() => kill(provider))
    const providerUrl = await provider.url
    const supervisor = await startShop(options, database, providerUrl, line => lines.push(line))
    closing.push(() => supervisor.stop())
    const ledgerPath = join(folder, LEDGER_FILE)
    return { database, providerUrl, ledgerPath, supervisor, lines, close }
  } catch (error) {
    await close()
    throw error
  }
}

function startShop(
  { orders, variant: broken, tally, surprises }: StageOptions,
  database: ScratchDatabase,
  providerUrl: string,
  onLine: (line: string) => void,
): Promise<Supervisor> {
  const env = {
    DATABASE_URL: database.url,
    PROVIDER_URL: providerUrl,
    FAULTS: '1',
    LEASE_MS: String(LEASE_MS),
    PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
    COMPLETE_EVERY_MS: String(COMPLETE_EVERY_MS),
    ...(broken && { VARIANT: broken.name }),
  }
  return Supervisor.start(
    {
      workers: WORKERS,
      start: () => startChild(broken ? BROKEN_SHOP : SHOP, env, onLine),
      onCrash: checkpoint => tally.add(`crash@${checkpoint ?? 'one of several'}`),
      onFailedStart: () => tally.add('failed start'),
      onUnexpectedEnd: detail => surprises.push({ kind: 'unexpected', detail }),
    },
    async () => {
      await prepareOrders(database.client, orders)
      if (broken?.variant.sql) await database.client.query(broken.variant.sql)
    },
  )
}

async function kill(child: RunningChild): Promise<void> {
  child.process.kill('SIGKILL')
  await child.ended
}
