import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FlagError } from './flags.ts'
import { HELP, readStormOptions } from './storm-options.ts'

describe('readStormOptions', () => {
  it('takes 4,200 clients, 420 calls a second, TanStack’s default and the preset where nothing is asked', async () => {
    const { policies, herd, format, isHelp } = await readStormOptions([])
    expect(policies.map(({ name }) => name)).toEqual(['tanstack', 'preset'])
    expect(herd).toMatchObject({ clients: 4_200, capacityPerSlot: 42, slotMs: 100, seed: 1 })
    expect({ format, isHelp }).toEqual({ format: 'table', isHelp: false })
  })

  it('takes the line of the design', async () => {
    const line = '--clients 4200 --capacity 420 --outage 0 --policy tanstack,preset --seed 1 --json'
    const { policies, herd, format } = await readStormOptions(line.split(' '))
    expect(policies.map(({ name }) => name)).toEqual(['tanstack', 'preset'])
    expect(herd).toMatchObject({ clients: 4_200, capacityPerSlot: 42, outageMs: 0, seed: 1 })
    expect(format).toBe('json')
  })

  it('takes every setting of the server', async () => {
    const line =
      '--capacity 25 --slot 1s --queue 9 --answer 80ms --outage 60s --outage-at 5s --retry-after 5s --status 429 --lost 0.1 --until 2m --seed 7'
    expect((await readStormOptions(line.split(' '))).herd).toMatchObject({
      capacityPerSlot: 25,
      slotMs: 1_000,
      queueLimit: 9,
      answerMs: 80,
      outageMs: 60_000,
      outageAtMs: 5_000,
      retryAfterMs: 5_000,
      rejectStatus: 429,
      lostAnswerRatio: 0.1,
      untilMs: 120_000,
      seed: 7,
    })
  })

  it.each([
    { arrivals: 'at-once', expected: [0, 0] },
    { arrivals: 'over:60s', expected: [30_000, 30_000] },
    { arrivals: 'rate:4', expected: [0, 250] },
  ])('lets clients arrive $arrivals', async ({ arrivals, expected }) => {
    const { herd } = await readStormOptions(['--arrivals', arrivals])
    expect([0, 1].map(client => herd.arrivals?.(client, () => 0.5))).toEqual(expected)
  })

  it('sets your own settings beside the preset, the rest of them the preset’s', async () => {
    const { policies } = await readStormOptions([
      '--retries',
      '2',
      '--cap',
      '2s',
      '--jitter',
      'equal',
    ])
    expect(policies.map(({ name }) => name)).toEqual(['preset', 'yours'])
    const yours = policies[1]?.policy
    expect(yours && 'options' in yours && yours.options).toMatchObject({
      maxRetries: 2,
      capMs: 2_000,
      jitter: 'equal',
      floorMs: 200,
    })
  })

  it.each([
    ['--describe', ['preset']],
    ['--describe --cap 60s', ['yours']],
    ['--describe --policy preset,retry-after-max', ['preset', 'retry-after-max']],
    ['--describe --policy preset --cap 60s', ['preset', 'yours']],
  ])('describes with %s: %j', async (line, names) => {
    const { policies, isDescription } = await readStormOptions(line.split(' '))
    expect(policies.map(({ name }) => name)).toEqual(names)
    expect(isDescription).toBe(true)
  })

  it.each([
    ['--clients 0', '--clients 0: must be a whole number from 1 to 10000000'],
    ['--capacity -5', '--capacity -5: must be a number from 0 to 1000000000'],
    ['--capacity=-5', '--capacity -5: must be a number from 0 to 1000000000'],
    ['--outage -1s', '--outage -1s: must be milliseconds from 0'],
    ['--cap 100', '--cap 100: must be a number from 200 to 2147483647'],
    ['--cap 1s --floor 2s', '--cap 1s: must be a number from 2000 to 2147483647'],
    ['--jitter most', '--jitter most: must be "full" or "equal" or "decorrelated" or "none"'],
    ['--policy tanstak', '--policy tanstak: must be some of tanstack, fixed, exponential'],
    ['--status 500', '--status 500: must be 503 or 429'],
    [
      '--arrivals soon',
      '--arrivals soon: must be at-once, over:<time> or rate:<clients per second>',
    ],
    ['--arrivals over:soon', '--arrivals over soon: must be milliseconds from 0'],
    ['--lost 1.1', '--lost 1.1: must be a number from 0 to 1'],
    ['--seed -1', '--seed -1: must be a whole number from 0 to 4294967295'],
    ['--describe --csv', '--describe with --csv: must be one of the two'],
    ['--describe --html r.html', '--describe with --html: must be one of the two'],
    ['--describe --cap 100', '--cap 100: must be a number from 200 to 2147483647'],
    ['--json --csv', '--json with --csv: must be one of the two'],
    ['--client 5', "--client 5 (Unknown option '--client'): must be some of --policy, --clients"],
    ['4200', "4200 (Unexpected argument '4200'"],
    ['--clients', "--clients (Option '--clients <value>' argument missing): must be some of"],
  ])('refuses %s and says what it takes', async (line, message) => {
    const error = await readStormOptions(line.split(' ')).catch(thrown => thrown)
    expect(error).toBeInstanceOf(FlagError)
    expect(error.message).toContain(message)
  })

  it('takes a module of yours beside the policies that have names', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'storm-')), 'mine.js')
    writeFileSync(file, 'export default { delayMs: () => 1_000 }')
    const { policies } = await readStormOptions(['--policy', `preset, ${file}`])
    expect(policies.map(({ name }) => name)).toEqual(['preset', file])
  })

  it('says in words what was set, and what holds where nothing was', async () => {
    const { settings } = await readStormOptions(['--outage', '60s', '--seed', '7'])
    expect(Object.fromEntries(settings)).toMatchObject({
      Outage: '60s',
      Seed: '7',
      Clients: '4200',
    })
  })

  it('gives the command for the same figures, without what says where they go', async () => {
    const line = ['--seed', '7', '--policy', 'tanstack,preset', '--html', 'a.html', '--json']
    const { command } = await readStormOptions(line)
    expect(command).toBe('pnpm storm --seed 7 --policy tanstack,preset')
  })

  it('quotes in that command what a shell would take apart', async () => {
    const { command } = await readStormOptions(['--policy', 'tanstack, preset'])
    expect(command).toBe("pnpm storm --policy 'tanstack, preset'")
  })

  it('knows -h and --help, which names every policy', async () => {
    expect(await readStormOptions(['-h'])).toMatchObject({ isHelp: true })
    expect(HELP).toContain('  preset-clamped')
  })
})
