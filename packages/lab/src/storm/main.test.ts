import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

const NODE = ['--import', 'tsx', '--conditions=source', MAIN]

function storm(...args: string[]) {
  return spawnSync(process.execPath, [...NODE, ...args], { cwd: ROOT, encoding: 'utf8' })
}

/** With a policy that says so when it is asked for the first time: by then the simulation is on its way. */
function folderWithPolicy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'storm-'))
  writeFileSync(
    join(folder, 'endless.mjs'),
    `import { writeSync } from 'node:fs'
     let asked = 0
     export default { delayMs: () => (asked++ === 0 && writeSync(2, 'simulating'), 1) }`,
  )
  return folder
}

describe('storm', { timeout: 60_000 }, () => {
  it('prints a table with a curve for each policy', () => {
    const { stdout, stderr, status } = storm('--policy', 'tanstack,preset', '--seed', '1')
    const [header, tanstack, preset] = stdout.split('\n')
    expect(header).toContain('retries, 0 to 13.7 s, a full bar is 4,158')
    expect(tanstack).toMatch(
      /^tanstack +16,548 +4,158 +168 +never +never +7\.4 s .*█.* 4,032 retries-exhausted$/,
    )
    expect(preset).toMatch(
      /^preset +17,198 +649 +3,934 +5\.2 s +never +13\.7 s .*▂▁.* 266 retries-exhausted$/,
    )
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  })

  it('prints everything as JSON, null where a figure does not exist, and the same again', () => {
    const line = ['--clients', '500', '--policy', 'tanstack,preset', '--capacity', '200', '--json']
    const { stdout, status } = storm(...line)
    const [tanstack, preset] = JSON.parse(stdout)
    expect(tanstack).toMatchObject({ policy: 'tanstack', allServedAtMs: null, clients: 500 })
    expect(preset.retriesPerSlot.length).toBe(preset.callsPerSlot.length)
    expect(status).toBe(0)
    expect(storm(...line).stdout).toBe(stdout)
  })

  it('prints the figures as CSV, a line for each policy', () => {
    const [header, line, end] = storm('--policy', 'tanstack', '--csv').stdout.split('\n')
    expect(header).toMatch(/^policy,seed,clients,totalCalls,minimumCalls,/)
    expect(line).toBe('tanstack,1,4200,16548,4200,168,4200,4158,100,168,4032,0,,,,7400')
    expect(end).toBe('')
  })

  it('says what is wrong in a line, on stderr, with exit code 2', () => {
    const { stdout, stderr, status } = storm('--clients', '0')
    expect(stderr).toBe('--clients 0: must be a whole number from 1 to 10000000\nSee --help.\n')
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 })
  })

  it('describes the settings that the flags give, on one page, without a run', () => {
    const line = ['--describe', '--retries', '6', '--cap', '60s', '--retry-after', '45s']
    const { stdout, stderr, status } = storm(...line)
    expect(stdout.split('\n')[0]).toBe(
      '# Retry policy: yours, the preset with --retries 6 --cap 60s',
    )
    expect(stdout).toContain('\n- **wait-too-long** (capMs): A single wait may take 30 s.')
    expect(stdout).toContain(
      '\n- **server-wait-after-deadline** (deadlineMs): The server asks for 45 s',
    )
    expect(stdout).toMatch(/\n\| Retry budget \| 60 retries saved up/)
    expect(stdout).toContain('\n| 6 | 200 ms to 32 s | 16.1 s |\n')
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  })

  it('describes as JSON, null where there is no limit', () => {
    const { stdout, status } = storm('--describe', '--json')
    const [preset] = JSON.parse(stdout)
    expect(preset).toMatchObject({
      attempts: 5,
      worstWaitMs: 15_000,
      longestMs: null,
      warnings: [],
    })
    expect(status).toBe(0)
  })

  it.each([
    [['--policy', 'tanstack'], '--describe with --policy tanstack: must be given with settings'],
    [['--csv'], '--describe with --csv: must be one of the two'],
  ])('refuses --describe with %j, in a line, with exit code 2', (line, message) => {
    const { stdout, stderr, status } = storm('--describe', ...line)
    expect(stderr).toContain(message)
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 })
  })

  it('explains itself', () => {
    const { stdout, status } = storm('--help')
    expect(stdout).toMatch(/^Simulates/)
    expect(stdout).toContain('--html <file>')
    expect(status).toBe(0)
  })

  it('writes a report, beside the table, and says where it is', () => {
    const path = join(folderWithPolicy(), 'report.html')
    const { stdout, stderr, status } = storm('--clients', '100', '--html', path)
    expect(readFileSync(path, 'utf8')).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/)
    expect(stdout).toMatch(/^policy /)
    expect({ stderr, status }).toEqual({ stderr: `The report is in ${path}\n`, status: 0 })
  })

  it('says that it cannot write a report before it simulates, with exit code 2', () => {
    const folder = folderWithPolicy()
    const path = join(folder, 'nowhere', 'report.html')
    const line = ['--capacity', '0', '--until', '1s', '--policy', join(folder, 'endless.mjs')]
    const { stdout, stderr, status } = storm(...line, '--clients', '5', '--html', path)
    expect(stderr).toBe(
      `--html ${path} (ENOENT): must be a file that can be written, in a folder that exists\nSee --help.\n`,
    )
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 })
  })

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'leaves the report of before as it was when %s ends a long run, and nothing beside it',
    async signal => {
      const folder = folderWithPolicy()
      const path = join(folder, 'report.html')
      writeFileSync(path, 'of before')
      const line = ['--capacity', '0', '--policy', join(folder, 'endless.mjs'), '--html', path]
      const child = spawn(process.execPath, [...NODE, ...line, '--clients', '1000000'], {
        cwd: ROOT,
      })
      const [said] = await once(child.stderr, 'data')
      expect(`${said}`).toBe('simulating')
      child.kill(signal)
      expect(await once(child, 'exit')).toEqual([null, signal])
      expect(readFileSync(path, 'utf8')).toBe('of before')
      expect(readdirSync(folder).sort()).toEqual(['endless.mjs', 'report.html'])
    },
  )

  it('leaves no report where there was none when a long run is interrupted', async () => {
    const folder = folderWithPolicy()
    const path = join(folder, 'report.html')
    const line = ['--capacity', '0', '--policy', join(folder, 'endless.mjs'), '--html', path]
    const child = spawn(process.execPath, [...NODE, ...line], { cwd: ROOT })
    await once(child.stderr, 'data')
    child.kill('SIGINT')
    await once(child, 'exit')
    expect(existsSync(path)).toBe(false)
  })
})
