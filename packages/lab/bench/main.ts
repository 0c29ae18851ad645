import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { COMPARED_POLICIES, simulateHerd } from '../src/index.ts'

/**
 * `pnpm bench`: what a simulation costs, through an outage of 60 s in which every client's every retry fails.
 *
 * Processor time and not the clock's, since the machine may have other things to do; the collector's work is in it.
 * Each run has a process to itself, so that its memory is its own, and is set beside the one before: by how much
 * the cost of a client has grown, and by how much it would have with n log n.
 */
const RUNS = ['tanstack', 'preset without its budget', 'preset']
const SIZES = [4_200, 10_000, 100_000, 1_000_000]

interface Cost {
  clients: number
  totalCalls: number
  cpuUs: number
  mostMb: number
}

const [name, clients] = process.argv.slice(2)
if (name && clients) {
  simulate(name, 30_000) // Until the compiler is done with it.
  console.log(JSON.stringify(simulate(name, Number(clients))))
} else {
  for (const run of RUNS) {
    let before: Cost | undefined
    for (const size of SIZES) {
      const cost = inOwnProcess(run, size)
      console.log(
        `${run}: ${size} clients, ${cost.totalCalls} calls: ${Math.round(cost.cpuUs / 1_000)} ms of processor time, ` +
          `at most ${cost.mostMb} MB; ${perClient(cost).toFixed(1)} µs a client${tellGrowth(cost, before)}`,
      )
      before = cost
    }
  }
}

function inOwnProcess(run: string, size: number): Cost {
  const node = [...process.execArgv, fileURLToPath(import.meta.url), run, String(size)]
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const { stdout, status } = spawnSync(process.execPath, node, { stdio: [...stdio] })
  if (status !== 0) throw new Error(`${run}, ${size} clients: exit code ${status}`)
  return JSON.parse(`${stdout}`)
}

function simulate(run: string, clients: number): Cost {
  const compared = COMPARED_POLICIES.find(policy => policy.name === run.split(' ')[0])
  if (!compared) throw new Error(`no policy ${run}`)
  const { policy } = compared
  const budget = run.includes('without') ? undefined : compared.budget
  const before = process.cpuUsage()
  const herd = { clients, capacityPerSlot: clients / 100, slotMs: 100, outageMs: 60_000 }
  const { totalCalls } = simulateHerd({ ...herd, policy, budget, seed: 1 })
  const { user, system } = process.cpuUsage(before)
  const mostMb = Math.round(process.resourceUsage().maxRSS / 1_024)
  return { clients, totalCalls, cpuUs: user + system, mostMb }
}

function perClient({ cpuUs, clients }: Cost): number {
  return cpuUs / clients
}

function tellGrowth(cost: Cost, before: Cost | undefined): string {
  if (!before) return ''
  const growth = perClient(cost) / perClient(before)
  const nLogN = Math.log(cost.clients) / Math.log(before.clients)
  const times = cost.clients / before.clients
  return `, ${growth.toFixed(2)} times as much for ${times.toFixed(1)} times as many (n log n: ${nLogN.toFixed(2)})`
}
