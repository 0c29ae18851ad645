/**
 * What the preset costs. Ratios are measured side by side in this one run; absolute figures depend on
 * the machine.
 *
 *   pnpm bench
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { measureDecisions } from './decisions.ts'
import { COMPARISONS, compareFetches } from './fetch-overhead.ts'
import { measureWaitingHeap } from './waiting-heap.ts'

const row = (name: string, value: string) => console.log(`  ${name.padEnd(36)} ${value}`)

const [, self, comparison] = process.argv
if (comparison) {
  for (const { name, microseconds, ratio } of await compareFetches(comparison)) {
    row(name, `${ratio.toFixed(2)}  (${microseconds.toFixed(1)} µs)`)
  }
} else {
  console.log('Time per fetchQuery that succeeds, as a ratio to the first of each group')
  for (const name of Object.keys(COMPARISONS)) {
    console.log(` ${name}`)
    execFileSync(process.execPath, [self ?? fileURLToPath(import.meta.url), name], {
      stdio: 'inherit',
    })
  }

  console.log('Decisions per second')
  for (const [name, perSecond] of Object.entries(measureDecisions())) {
    row(name, Math.round(perSecond).toLocaleString('en'))
  }

  console.log('Heap per waiting query, of 10,000')
  const heap = await measureWaitingHeap()
  row('bare', `${Math.round(heap.bareBytes)} bytes`)
  row('preset', `${Math.round(heap.presetBytes)} bytes`)
  row('added by the preset', `${Math.round(heap.addedBytes)} bytes`)
}
// Queries that wait hold the process open.
process.exit(0)
