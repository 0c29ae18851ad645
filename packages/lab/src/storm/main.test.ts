import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

function storm(...args: string[]) {
  const node = ['--import', 'tsx', '--conditions=source', MAIN, ...args]
  return spawnSync(process.execPath, node, { cwd: ROOT, encoding: 'utf8' })
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
    expect(storm('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Simulates/),
    })
  })
})
