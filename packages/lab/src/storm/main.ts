#!/usr/bin/env node
import { RetryOptionError } from '@query-retry/core'
import { simulateHerd } from '../simulate-herd.ts'
import { describeSettings, formatPages } from './describe-settings.ts'
import { FlagError } from './flags.ts'
import { createProgress } from './progress.ts'
import { formatCsv, formatJson, formatTable } from './report.ts'
import { HELP, readStormOptions, type StormOptions } from './storm-options.ts'

/** `pnpm storm`, and `npx @query-retry/lab`: what retry policies do to a server, in the terminal. */

const WRONG_FLAG = 2
const FORMATS = { table: formatTable, json: formatJson, csv: formatCsv }

// Whoever reads us may stop (`| head`).
process.stdout.on('error', error => {
  if (!('code' in error) || error.code !== 'EPIPE') throw error
})

try {
  const options = await readStormOptions(process.argv.slice(2))
  process.stdout.write(
    options.isHelp ? HELP : options.isDescription ? describe(options) : run(options),
  )
} catch (error) {
  if (!(error instanceof FlagError || error instanceof RetryOptionError)) throw error
  process.stderr.write(`${error.message}\nSee --help.\n`)
  process.exitCode = WRONG_FLAG
}

/** Everything is written at the end, at once: a run that is interrupted leaves nothing behind. */
function run({ policies, herd, format }: StormOptions): string {
  const progress = createProgress(process.stderr, () => performance.now())
  const results = policies.map(({ name, policy, budget }) => {
    const onProgress = (done: number) => progress.report(name, done, herd.clients)
    return { policy: name, ...simulateHerd({ ...herd, policy, budget, onProgress }) }
  })
  progress.clear()
  return FORMATS[format](results)
}

function describe({ policies, herd, format }: StormOptions): string {
  const descriptions = describeSettings(policies, herd)
  return format === 'json'
    ? `${JSON.stringify(descriptions, null, 2)}\n`
    : formatPages(descriptions)
}
