import { SettingError } from '../src/setting-error.ts'
import { BROKEN_VARIANTS } from './broken-variants.ts'
import { OptionError } from './command-line.ts'
import { type Options, readOptions } from './options.ts'
import { formatReport, formatViolations, replayCommand } from './report.ts'
import { runChaos } from './run.ts'
import { listTargets } from './targets.ts'

/**
 * `pnpm chaos:server`: pays orders while processes crash, freeze and lose their answers, and checks
 * that nobody paid twice.
 */

/** 2: what we were told is wrong. 1: something was violated, or the run proves nothing. */
const WRONG_OPTION = 2
const FAILED = 1

/** From here on every kind of trouble has to be met. */
const ENOUGH_ORDERS = 300

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
// Clients of a run that was stopped would go on asking servers that are gone.
process.exit()

async function runOnce(options: Options): Promise<boolean> {
  const { seed, orders, variant, serverUrl } = options
  const mistake = variant && BROKEN_VARIANTS[variant]?.mistake
  console.log(`seed ${seed}, ${orders} orders${mistake ? `, broken on purpose: ${mistake}` : ''}`)
  const report = await runChaos({
    ...{ seed, orders, variant, serverUrl },
    signal: stopping.signal,
    onProgress: line => console.log(`  ${line}`),
  })
  console.log(`\n${formatReport(report)}`)
  const targets = variant === undefined ? listTargets(report.plan, report.tally) : []
  const missed = targets.filter(({ hit }) => hit === 0)
  for (const { name, planned } of missed) {
    console.log(`never hit, though planned ${planned} times: ${name}`)
  }
  const isLarge = orders >= ENOUGH_ORDERS
  if (missed.length > 0) {
    console.log(
      isLarge
        ? 'A run that misses what it planned proves nothing.'
        : `With fewer than ${ENOUGH_ORDERS} orders that is to be expected; this run says nothing about them.`,
    )
  }
  const isFine = report.violations.length === 0 && !(isLarge && missed.length > 0)
  if (!isFine) console.log(`The same plan again: ${replayCommand({ seed, orders, variant })}`)
  return isFine
}

/** The run has to find what is wrong with each server that is wrong, or it would not find it in ours. */
async function runTeeth({ seed, serverUrl }: Options): Promise<boolean> {
  let areAllCaught = true
  for (const [name, { mistake, orders, expects }] of Object.entries(BROKEN_VARIANTS)) {
    const report = await runChaos({
      ...{ seed, orders, variant: name, serverUrl },
      signal: stopping.signal,
    })
    const found = new Set(report.violations.map(({ kind }) => kind))
    const missing = expects.filter(kind => !found.has(kind))
    const seconds = Math.round(report.tookMs / 1_000)
    console.log(`${missing.length === 0 ? 'caught' : 'MISSED'}  ${name}: ${mistake} (${seconds} s)`)
    console.log(`        ${orders} orders: ${[...found].join(', ')}`)
    if (missing.length === 0) continue
    areAllCaught = false
    console.log(
      `        not reported: ${missing.join(', ')}\n${formatViolations(report.violations)}`,
    )
    console.log(`The same plan again: ${replayCommand({ seed, orders, variant: name })}`)
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
