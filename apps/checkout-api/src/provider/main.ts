import { SettingError } from '../setting-error.ts'
import { type RunningProvider, startProvider } from './provider.ts'
import { type ProviderSettings, readSettings } from './settings.ts'

/** 2: what we were told is wrong. 1: it is well-formed, but cannot be had here and now. */
const WRONG_SETTING = 2
const CANNOT_START = 1

const settings = orExit(WRONG_SETTING, () => readSettings(process.env))
if (settings) await run(settings)

async function run(settings: ProviderSettings): Promise<void> {
  let provider: RunningProvider | undefined
  let isStopping = false
  const stop = async () => {
    // A second signal means now.
    if (isStopping || !provider) process.exit(CANNOT_START)
    isStopping = true
    console.log('Closing')
    await provider.close()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)

  try {
    provider = await startProvider({ ...settings, log: line => console.log(line) })
    console.log(`The payment provider answers at ${provider.url}`)
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
