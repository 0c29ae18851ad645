import { COMPARED_POLICIES, simulateHerd } from '../src/index.ts'

/**
 * `pnpm bench`: what a simulation costs, through an outage of 60 s in which every client's every retry fails.
 *
 * Processor time and not the clock's, since the machine may have other things to do.
 */
const SLOT_MS = 100

simulate('preset', 1_000)
for (const name of ['tanstack', 'preset']) {
  for (const clients of [4_200, 10_000, 100_000, 1_000_000]) simulate(name, clients, console.log)
}

function simulate(name: string, clients: number, print?: (line: string) => void): void {
  const compared = COMPARED_POLICIES.find(policy => policy.name === name)
  if (!compared) throw new Error(`no policy ${name}`)
  const { policy, budget } = compared
  const before = process.cpuUsage()
  const herd = { clients, capacityPerSlot: clients / 100, slotMs: SLOT_MS, outageMs: 60_000 }
  const { totalCalls } = simulateHerd({ ...herd, policy, budget, seed: 1 })
  const { user, system } = process.cpuUsage(before)
  const ms = Math.round((user + system) / 1_000)
  const mostMb = Math.round(process.resourceUsage().maxRSS / 1_024)
  print?.(
    `${name}: ${clients} clients, ${totalCalls} calls: ${ms} ms of processor time, ` +
      `${((user + system) / totalCalls).toFixed(1)} µs a call, at most ${mostMb} MB so far`,
  )
}
