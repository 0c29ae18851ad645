import { type RunningServer, startServer } from './server.ts'
import { SettingError } from './setting-error.ts'
import { readSettings, type Settings } from './settings.ts'

/** 2: what we were told is wrong. 1: it is well-formed, but cannot be had here and now. */
const WRONG_SETTING = 2
const CANNOT_START = 1

const settings = orExit(WRONG_SETTING, () => readSettings(process.env))
if (settings) await run(settings)

async function run(settings: Settings): Promise<void> {
  let server: RunningServer | undefined
  let isStopping = false
  const stop = async () => {
    // A second signal means now.
    if (isStopping || !server) process.exit(CANNOT_START)
    isStopping = true
    console.log('Closing')
    await server.close()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)

  try {
    const { leaseMs, ...options } = settings
    server = await startServer({
      ...options,
      retention: { leaseMs },
      log: line => console.log(line),
    })
    console.log(`The shop's server answers at ${server.url}`)
    if (settings.faults) console.log(`Fault switches are on: ${server.url}/faults`)
  } catch (error) {
    report(error, CANNOT_START)
  }
}

function orExit<T>(exitCode: number, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    report(error, exitCode)
    return undefined
  }
}

function report(error: unknown, exitCode: number): void {
  // What we refuse is explained in a line; what we did not foresee needs its stack.
  console.error(error instanceof SettingError ? error.message : error)
  process.exitCode = exitCode
}
