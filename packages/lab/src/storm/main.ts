#!/usr/bin/env node
import { RetryOptionError } from '@query-retry/core'
import { simulateHerd } from '../simulate-herd.ts'
import { describeSettings, formatPages } from './describe-settings.ts'
import type { StormResult } from './figures.ts'
import { FlagError } from './flags.ts'
import { createProgress } from './progress.ts'
import { formatCsv, formatJson, formatTable } from './report.ts'
import { HELP, readStormOptions, type StormOptions } from './storm-options.ts'
import { assertWritable, writeWhole } from './whole-file.ts'

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
    options.isHelp ? HELP : options.isDescription ? describe(options) : await run(options),
  )
} catch (error) {
  if (!(error instanceof FlagError || error instanceof RetryOptionError)) throw error
  process.stderr.write(`${error.message}\nSee --help.\n`)
  process.exitCode = WRONG_FLAG
}

/** Everything is written at the end, at once: a run that is interrupted leaves nothing behind. */
async function run(options: StormOptions): Promise<string> {
  const { policies, herd, format, htmlPath } = options
  if (htmlPath !== undefined) assertWritable('--html', htmlPath)
  const progress = createProgress(process.stderr, () => performance.now())
  const results = policies.map(({ name, policy, budget }) => {
    const onProgress = (done: number) => progress.report(name, done, herd.clients)
    return { policy: name, ...simulateHerd({ ...herd, policy, budget, onProgress }) }
  })
  progress.clear()
  if (htmlPath !== undefined) await writeReport(htmlPath, options, results)
  return FORMATS[format](results)
}

function describe({ policies, herd, format }: StormOptions): string {
  const descriptions = describeSettings(policies, herd)
  return format === 'json'
    ? `${JSON.stringify(descriptions, null, 2)}\n`
    : formatPages(descriptions)
}

async function writeReport(
  path: string,
  { policies, herd, settings, command }: StormOptions,
  results: StormResult[],
): Promise<void> {
  // Plots are slow to load, and only needed here.
  const { formatHtml } = await import('./html-report.ts')
  const { capacityPerSlot, outageMs = 0, outageAtMs = 0 } = herd
  const html = formatHtml({
    results,
    titles: Object.fromEntries(policies.map(({ name, title }) => [name, title])),
    capacityPerSlot,
    outage: outageMs > 0 ? { fromMs: outageAtMs, toMs: outageAtMs + outageMs } : undefined,
    settings,
    command,
  })
  writeWhole('--html', path, html)
  process.stderr.write(`The report is in ${path}\n`)
}
