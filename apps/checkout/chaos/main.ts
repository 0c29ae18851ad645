import { SettingError } from '@query-retry/checkout-api'
import { OptionError } from '@query-retry/checkout-api/chaos'
import { BROKEN_CLIENTS } from './broken-clients.ts'
import { type Options, readOptions } from './options.ts'
import { countFaulty, formatReport, formatViolations, listMissed, replayCommand } from './report.ts'
import { type RunReport, runChaos } from './run.ts'

/**
 * `pnpm chaos:checkout`: people pay in real browsers while requests, tabs and workers are lost, and
 * nobody may pay twice, or for nothing, or never know.
 */

/** 2: what we were told is wrong. 1: something was violated, or the run proves nothing. */
const WRONG_OPTION = 2
const FAILED = 1

/** From here on every kind of trouble has to be met, and by enough requests. */
const ENOUGH_CHECKOUTS = 300
const LEAST_FAULT_RATIO = 0.3

const stopping = new AbortController()
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

try {
  const options = readOptions(process.argv.slice(2), process.env)
  const isFine = options.teeth ? await runTeeth(options) : await runOnce(options)
  process.exitCode = isFine ? 0 : FAILED
} catch (error) {
  if (stopping.signal.aborted) console.error('Stopped')
  else console.error(isExplained(error) ? error.message : error)
  process.exitCode = isExplained(error) ? WRONG_OPTION : FAILED
}
// Requests that are to come late would still wait.
process.exit()

async function runOnce({ serverUrl, ...run }: Options): Promise<boolean> {
  const { seed, checkouts, client, unguarded } = run
  const mistake = client && BROKEN_CLIENTS[client]?.mistake
  const notes = [
    ...(mistake ? [`broken on purpose: ${mistake}`] : []),
    ...(unguarded ? ['on a server without a guard of its own'] : []),
  ]
  console.log([`seed ${seed}`, `${checkouts} checkouts`, ...notes].join(', '))
  const report = await runChaos({
    ...{ ...run, serverUrl },
    signal: stopping.signal,
    onProgress: line => console.log(`  ${line}`),
  })
  console.log(`\n${formatReport(report)}`)
  const isFine = report.violations.length === 0 && (client !== undefined || provesEnough(report))
  if (!isFine) console.log(`The same plan again: ${replayCommand(run)}`)
  return isFine
}

/** A large run that misses what it was to meet proves nothing. */
function provesEnough(report: RunReport): boolean {
  const { requests } = report.evidence
  const missed = listMissed(report)
  for (const name of missed) console.log(`never happened: ${name}`)
  const isFaultyEnough = countFaulty(requests) >= LEAST_FAULT_RATIO * requests.length
  if (!isFaultyEnough)
    console.log(`fewer than ${100 * LEAST_FAULT_RATIO} % of requests had a fault`)
  if (missed.length === 0 && isFaultyEnough) return true
  const isLarge = report.plan.checkouts.length >= ENOUGH_CHECKOUTS
  console.log(
    isLarge
      ? 'A run that misses what it was to meet proves nothing.'
      : `With fewer than ${ENOUGH_CHECKOUTS} checkouts that is to be expected; this run says nothing about them.`,
  )
  return !isLarge
}

/** The run has to find what is wrong with each client that is wrong, or it would not find it in ours. */
async function runTeeth({ seed, serverUrl }: Options): Promise<boolean> {
  let areAllCaught = true
  console.log(`seed ${seed}`)
  for (const [client, { mistake, checkouts, expects }] of Object.entries(BROKEN_CLIENTS)) {
    const { violations, chronicle, tookMs } = await runChaos({
      ...{ seed, checkouts, client, serverUrl },
      signal: stopping.signal,
    })
    const found = new Set(violations.map(({ kind }) => kind))
    const missing = expects.filter(kind => !found.has(kind))
    const seconds = Math.round(tookMs / 1_000)
    console.log(
      `${missing.length === 0 ? 'caught' : 'MISSED'}  ${client}: ${mistake} (${seconds} s)`,
    )
    console.log(`        ${checkouts} checkouts: ${[...found].join(', ')}`)
    if (missing.length === 0) continue
    areAllCaught = false
    const unreported = `not reported: ${missing.join(', ')}`
    console.log(`        ${unreported}\n${formatViolations(violations, chronicle)}`)
    console.log(`The same plan again: ${replayCommand({ seed, checkouts, client })}`)
  }
  return areAllCaught
}

function isExplained(error: unknown): error is OptionError | SettingError {
  return error instanceof OptionError || error instanceof SettingError
}

function stop(): void {
  // A second signal means now.
  if (stopping.signal.aborted) process.exit(FAILED)
  console.error('Stopping')
  stopping.abort()
}
