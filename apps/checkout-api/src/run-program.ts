import { SettingError } from './setting-error.ts'

/** 2: what we were told is wrong. 1: it is well-formed, but cannot be had here and now. */
const WRONG_SETTING = 2
const CANNOT_START = 1
/** One key press that reaches a process twice does so within this. */
const SAME_SIGNAL_MS = 500

export interface Program<Settings> {
  /** @throws SettingError */
  readSettings(env: NodeJS.ProcessEnv): Settings
  /** Resolves when it answers. @throws SettingError for what cannot be had */
  start(settings: Settings): Promise<{ close(): Promise<void> }>
}

/**
 * Runs a program of ours as this process: reads its settings from the environment, starts it, and
 * closes it on SIGINT, on SIGTERM, and when a parent that holds a channel to it is gone. Ends with 0
 * after one of these, 2 for wrong settings, 1 for what cannot be had.
 */
export async function runProgram<Settings>(program: Program<Settings>): Promise<void> {
  let settings: Settings
  try {
    settings = program.readSettings(process.env)
  } catch (error) {
    return report(error, WRONG_SETTING)
  }

  let running: { close(): Promise<void> } | undefined
  let stoppingSinceMs: number | undefined
  const stop = async () => {
    if (!running) process.exit(CANNOT_START)
    if (stoppingSinceMs !== undefined) {
      // A second signal means now, unless it is the first once more: package managers hand Ctrl+C on.
      if (performance.now() - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(CANNOT_START)
      return
    }
    stoppingSinceMs = performance.now()
    console.log('Closing')
    await running.close()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('disconnect', () => stoppingSinceMs === undefined && stop())
  // Listening to the channel would keep a process that could not start.
  process.channel?.unref()
  try {
    running = await program.start(settings)
  } catch (error) {
    report(error, CANNOT_START)
  }
}

function report(error: unknown, exitCode: number): void {
  // What we refuse is explained in a line; what we did not foresee needs its stack.
  console.error(error instanceof SettingError ? error.message : error)
  process.exitCode = exitCode
}
