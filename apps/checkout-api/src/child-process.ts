import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface RunningChild {
  process: ChildProcess
  /** Where it answers; rejects where it ended before it did. */
  url: Promise<string>
  /** Resolves with the way it ended, and the last it said. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; lastWords: string }>
}

const LAST_WORDS = 5

/**
 * Starts one of our programs as a process of its own. It ends when this process does, however that
 * ends; Ctrl+C in the terminal does not reach it, so that whoever started it can stop it last.
 *
 * @param program - its main file
 * @param env - its settings; of ours it gets PATH alone. Any free port, unless PORT says more
 * @param onLine - told every line that it prints, on either output
 */
export function startChild(
  program: URL,
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void = () => undefined,
): RunningChild {
  const path = fileURLToPath(program)
  const child: ChildProcess = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), path],
    {
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env },
      // The fourth is how it gets to know that we are gone.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
      windowsHide: true,
    },
  )
  const printed: string[] = []
  const ended = once(child, 'close').then(([code, signal]) => {
    return { code, signal, lastWords: printed.join(' / ') }
  })
  const url = new Promise<string>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      if (output)
        createInterface(output).on('line', line => {
          printed.push(line)
          if (printed.length > LAST_WORDS) printed.shift()
          onLine(line)
          const [, address] = /answers at (http:\S+)/.exec(line) ?? []
          if (address) resolve(address)
        })
    }
    ended.then(({ code, signal, lastWords }) =>
      reject(new Error(`${path} ended (${code ?? signal}): ${lastWords}`)),
    )
  })
  // Whoever waits for it is told; nobody may be waiting.
  url.catch(() => undefined)
  return { process: child, url, ended }
}
