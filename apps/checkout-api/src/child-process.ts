import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

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
 * @param program - its main file
 * @param env - its settings; of ours it gets PATH alone. Port 0, any free one, unless PORT says more
 * @param onLine - told every line that it prints, on either output
 */
export function startChild(
  program: URL,
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void = () => undefined,
): RunningChild {
  const path = fileURLToPath(program)
  const child = spawn(process.execPath, ['--import', 'tsx', path], {
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
      reject(new Error(`${path} ended (${code ?? signal}): ${printed.join('\n')}`)),
    )
  })
  // Whoever waits for it is told; nobody may be waiting.
  url.catch(() => undefined)
  return { process: child, url, ended }
}
