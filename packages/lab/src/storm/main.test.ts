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

  it('explains itself', () => {
    expect(storm('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Simulates/),
    })
  })
})
