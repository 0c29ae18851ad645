import { parseArgs } from 'node:util'
import { createRetryPolicy, type Jitter, RetryOptionError } from '@query-retry/core'
import { type Arrivals, allAtOnce, spreadOver, steadyRate } from '../arrivals.ts'
import type { HerdOptions } from '../herd-options.ts'
import { COMPARED_POLICIES } from '../policies/compared-policies.ts'
import type { ComparedPolicy } from '../policies/compared-policy.ts'
import { preset } from '../policies/preset.ts'
import { tanstack } from '../policies/tanstack.ts'
import { FlagError, readDuration, readNumber } from './flags.ts'
import { isPolicyModule, loadPolicyModule } from './policy-module.ts'

/** What the command line asks for. */
export interface StormOptions {
  policies: ComparedPolicy[]
  herd: Omit<HerdOptions, 'policy' | 'budget'>
  format: 'table' | 'json' | 'csv'
  /** Print the settings on one page, and simulate nothing. */
  isDescription: boolean
  /** Where the HTML report goes, if one is wanted. */
  htmlPath: string | undefined
  /** The run's settings with their values, defaults included, in words. */
  settings: readonly (readonly [name: string, value: string])[]
  /** What to type for the same figures again. */
  command: string
  /** Print how it is used, and nothing else. */
  isHelp: boolean
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const FLAGS = {
  policy: text,
  clients: text,
  arrivals: text,
  capacity: text,
  queue: text,
  slot: text,
  answer: text,
  outage: text,
  'outage-at': text,
  'retry-after': text,
  status: text,
  lost: text,
  until: text,
  seed: text,
  retries: text,
  base: text,
  cap: text,
  floor: text,
  jitter: text,
  deadline: text,
  json: flag,
  csv: flag,
  describe: flag,
  html: text,
  help: { ...flag, short: 'h' },
} as const

type Flags = ReturnType<typeof parse>

export const HELP = `Simulates clients that fail together and retry, by one policy after another.

  --policy <names>      with commas between; default tanstack,preset. A path (./mine.js) is a module of yours whose
                        default export is one of core's policies or { delayMs(retryIndex, random), maxRetries? }
  --clients <number>    default 4200
  --arrivals <when>     at-once (default), over:60s or rate:420 (clients per second)

The server
  --capacity <number>   calls per second; default 420
  --queue <number>      calls that may wait for their turn; default 0
  --answer <time>       until an answer arrives; default one slot
  --outage <time>       everything is refused for so long; default 0
  --outage-at <time>    when that begins; default 0
  --retry-after <time>  what refusals ask for; default none
  --status <503|429>    of a refusal beyond capacity; default 503
  --lost <ratio>        the share of answers that are lost; default 0

Your own settings, as a policy beside the others; what is left out is the preset's
  --retries <number>  --base <time>  --cap <time>  --floor <time>
  --jitter <full|equal|decorrelated|none>  --deadline <time>

The run
  --slot <time>         in which calls are counted; default 100 ms
  --until <time>        the longest run; default 60 minutes of the herd's own time
  --seed <number>       repeats it; default 1
  --json, --csv         figures for a program, in place of the table
  --describe            no run: your own settings, else the preset's, as a policy on one page (Markdown), with
                        what they come to and warnings; with --json as data (null: no limit)
  --html <file>         a report with curves, figures and settings as well, in one file

A time is in milliseconds, or 500ms, 60s, 2m.

Policies
${COMPARED_POLICIES.map(({ name, title }) => `  ${name.padEnd(24)}${title}`).join('\n')}
`

/** @throws {FlagError} naming the flag, its value and what is accepted */
export async function readStormOptions(args: readonly string[]): Promise<StormOptions> {
  const flags = parse(args)
  const { json, csv, describe = false, help } = flags
  if (json && csv) throw new FlagError('--json', 'with --csv', 'one of the two')
  if (describe && csv) throw new FlagError('--describe', 'with --csv', 'one of the two')
  if (describe && flags.html) throw new FlagError('--describe', 'with --html', 'one of the two')
  const custom = readCustomPolicy(flags)
  const unnamed = describe || custom ? [preset] : [tanstack, preset]
  const isAlone = describe && custom !== undefined
  const named =
    flags.policy === undefined ? (isAlone ? [] : unnamed) : await readPolicies(flags.policy)
  return {
    policies: custom ? [...named, custom] : named,
    herd: readHerd(flags),
    format: json ? 'json' : csv ? 'csv' : 'table',
    isDescription: describe,
    htmlPath: flags.html,
    settings: tellSettings(flags),
    command: tellCommand(flags),
    isHelp: help ?? false,
  }
}

/** In words, and what holds where a flag is not given. */
const SETTINGS = [
  ['clients', 'Clients', '4200'],
  ['arrivals', 'They first call', 'at-once'],
  ['capacity', 'The server takes, calls a second', '420'],
  ['queue', 'Calls that may queue', '0'],
  ['answer', 'An answer arrives after', 'one slot'],
  ['outage', 'Outage', '0'],
  ['outage-at', 'The outage begins at', '0'],
  ['retry-after', 'Refusals ask for', 'no wait'],
  ['status', 'Beyond capacity the status is', '503'],
  ['lost', 'Share of answers lost', '0'],
  ['slot', 'Slot', '100ms'],
  ['until', 'Longest run', '60m'],
  ['seed', 'Seed', '1'],
] as const

function tellSettings(flags: Flags): StormOptions['settings'] {
  return SETTINGS.map(([flag, name, unset]) => [name, flags[flag] ?? unset])
}

/** Without what only says where the figures go. */
function tellCommand(flags: Flags): string {
  const given = Object.entries(flags).filter(([name]) => !['html', 'json', 'csv'].includes(name))
  return ['pnpm storm', ...given.map(([name, value]) => `--${name} ${quoted(`${value}`)}`)].join(
    ' ',
  )
}

function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}

function parse(args: readonly string[]) {
  // A negative number is a wrong value, and not another flag.
  const joined = args.join('\0').replace(/(^|\0)(--[a-z-]+)\0(-\.?\d)/g, '$1$2=$3')
  try {
    return parseArgs({ args: joined === '' ? [] : joined.split('\0'), options: FLAGS }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error)
    const accepted = Object.keys(FLAGS).map(name => `--${name}`)
    throw new FlagError(args.join(' '), `(${reason})`, `some of ${accepted.join(', ')}`)
  }
}

function readPolicies(names: string): Promise<ComparedPolicy[]> {
  return Promise.all(names.split(',').map(name => readPolicy(name.trim())))
}

async function readPolicy(name: string): Promise<ComparedPolicy> {
  const found = COMPARED_POLICIES.find(policy => policy.name === name)
  if (found) return found
  if (isPolicyModule(name)) return loadPolicyModule(name)
  const known = COMPARED_POLICIES.map(policy => policy.name).join(', ')
  throw new FlagError('--policy', name, `some of ${known}, or the path of a module (./mine.js)`)
}

function readHerd(flags: Flags): StormOptions['herd'] {
  const slotMs = readDuration('--slot', flags.slot, 1) ?? 100
  const capacity = readNumber('--capacity', flags.capacity, [0, 1e9]) ?? 420
  const status = flags.status ?? '503'
  if (status !== '503' && status !== '429') throw new FlagError('--status', status, '503 or 429')
  return {
    clients: readNumber('--clients', flags.clients, [1, 1e7, 'whole ']) ?? 4_200,
    arrivals: readArrivals(flags.arrivals ?? 'at-once'),
    capacityPerSlot: (capacity * slotMs) / 1_000,
    slotMs,
    queueLimit: readNumber('--queue', flags.queue, [0, 1e9, 'whole ']),
    answerMs: readDuration('--answer', flags.answer),
    outageMs: readDuration('--outage', flags.outage),
    outageAtMs: readDuration('--outage-at', flags['outage-at']),
    retryAfterMs: readDuration('--retry-after', flags['retry-after']),
    rejectStatus: status === '429' ? 429 : 503,
    lostAnswerRatio: readNumber('--lost', flags.lost, [0, 1]),
    untilMs: readDuration('--until', flags.until, 1, slotMs * 1e7),
    seed: readNumber('--seed', flags.seed, [0, 2 ** 32 - 1, 'whole ']) ?? 1,
  }
}

function readArrivals(value: string): Arrivals {
  if (value === 'at-once') return allAtOnce()
  const [kind, amount] = value.split(':')
  if (kind === 'over' && amount) return spreadOver(readDuration('--arrivals over', amount) ?? 0)
  if (kind === 'rate' && amount) {
    return steadyRate(readNumber('--arrivals rate', amount, [0.001, 1e9]) ?? 1)
  }
  throw new FlagError('--arrivals', value, 'at-once, over:<time> or rate:<clients per second>')
}

/** Which flag gives which option of a policy. */
const POLICY_FLAGS = {
  maxRetries: 'retries',
  baseMs: 'base',
  capMs: 'cap',
  floorMs: 'floor',
  jitter: 'jitter',
  deadlineMs: 'deadline',
} as const

function readCustomPolicy(flags: Flags): ComparedPolicy | undefined {
  const given = Object.values(POLICY_FLAGS).filter(name => flags[name] !== undefined)
  if (given.length === 0) return undefined
  const settings = given.map(name => `--${name} ${flags[name]}`).join(' ')
  try {
    const policy = createRetryPolicy({
      maxRetries: readNumber('--retries', flags.retries, [0, 1e9, 'whole ']),
      baseMs: readDuration('--base', flags.base, 1),
      capMs: readDuration('--cap', flags.cap, 1),
      floorMs: readDuration('--floor', flags.floor),
      jitter: flags.jitter as Jitter | undefined,
      deadlineMs: readDuration('--deadline', flags.deadline, 1),
    })
    return { ...preset, name: 'yours', title: `the preset with ${settings}`, policy }
  } catch (error) {
    if (!(error instanceof RetryOptionError)) throw error
    const name = POLICY_FLAGS[error.option as keyof typeof POLICY_FLAGS]
    const accepted = error.message.replace(/^.*? must be (.*), but is .*$/, '$1')
    throw new FlagError(`--${name}`, flags[name] ?? `${error.value}`, accepted)
  }
}
