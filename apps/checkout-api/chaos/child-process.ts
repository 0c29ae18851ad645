import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface RunningChild {
  process: ChildProcess
  /** Where it answers; rejects where it ended before it did. */
  url: Promise<string>
  /** Resolves with the way it ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/**
 * Starts one of our programs as a process of its own, as `pnpm start` does.
 *
 * @param onLine - told every line that it prints, on either output
 */
export function startChild(
  program: URL,
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
): RunningChild {
  const child = spawn(process.execPath, ['--import', 'tsx', program.pathname], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const printed: string[] = []
  const url = new Promise<string>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr]) {
      createInterface(output).on('line', line => {
        printed.push(line)
        onLine(line)
        const [, address] = /answers at (http:\S+)/.exec(line) ?? []
        if (address) resolve(address)
      })
    }
    ended.then(({ code, signal }) =>
      reject(new Error(`${program.pathname} ended (${code ?? signal}): ${printed.join('\n')}`)),
    )
  })
  // Whoever waits for it is told; nobody may be waiting.
  url.catch(() => undefined)
  return { process: child, url, ended }
}
