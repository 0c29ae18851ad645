import {
  DEFAULT_SETTINGS,
  JITTERS,
  OWN_POLICY,
  POLICY_NAMES,
  RANGES,
  type StormSettings,
  UNTIL_MS,
} from './storm-settings.ts'

/** Something in a link that cannot be, and what stands in for it, as a link has them. */
export interface LinkProblem {
  name: string
  value: string
  used: string
  /** Where it is a number or a time: what would have been accepted. */
  range?: readonly [low: string, high: string]
}

/** What a link says where there is no such thing. */
const NONE = 'none'

/** How a setting stands in a link: as a flag on the lab's command line (`outage=60s`). */
interface Parameter<Value> {
  name: string
  /** @returns undefined for what is not accepted */
  read(text: string): { value: Value } | undefined
  write(value: Value): string
  range?: readonly [low: string, high: string]
}

type Parameters = { [Key in keyof StormSettings]: Parameter<StormSettings[Key]> }

const PARAMETERS: Parameters = {
  clients: wholeNumber('clients', RANGES.clients),
  capacity: wholeNumber('capacity', RANGES.capacity),
  outageMs: duration('outage', RANGES.outageMs),
  retryAfterMs: orNone(duration('retry-after', RANGES.retryAfterMs)),
  policies: pairOf('policy', POLICY_NAMES),
  maxRetries: wholeNumber('retries', RANGES.maxRetries),
  capMs: duration('cap', RANGES.capMs),
  deadlineMs: duration('deadline', RANGES.deadlineMs),
  jitter: oneOf('jitter', JITTERS),
}

const KEYS = Object.keys(PARAMETERS) as (keyof StormSettings)[]

/** These mean something only where the policy is compared whose settings they are. */
const KEYS_OF_OWN_POLICY: readonly string[] = ['maxRetries', 'capMs', 'deadlineMs', 'jitter']

/** A link may be long; a line on a phone is not. */
const MAX_SHOWN = 24

/** Reads the settings that a link carries. What it leaves out has its default, and so has what cannot be. */
export function readLink(search: string): { settings: StormSettings; problems: LinkProblem[] } {
  const params = new URLSearchParams(search)
  const settings = { ...DEFAULT_SETTINGS }
  const problems: LinkProblem[] = []

  function readInto<Key extends keyof StormSettings>(key: Key) {
    const { name, range, read, write } = PARAMETERS[key] as Parameter<StormSettings[Key]>
    const text = params.get(name)
    if (text === null) return
    const found = read(text)
    if (found) settings[key] = found.value
    else problems.push({ name, value: shorten(text), used: write(settings[key]), range })
  }

  for (const key of KEYS) readInto(key)
  return { settings, problems }
}

/** The query of a link to these settings. Defaults are in it, too: they may be others one day. */
export function writeLink(settings: StormSettings): string {
  const pairs = flagsOf(settings).map(([name, text]) => `${name}=${text}`)
  return `?${pairs.join('&')}`
}

/** What gives the same figures in a terminal. */
export function writeCommand(settings: StormSettings): string {
  const named = settings.policies.filter(name => name !== OWN_POLICY)
  const flags = flagsOf(settings).flatMap(([name, text]) => {
    if (text === NONE && name === 'retry-after') return []
    // There, what the other flags make of the preset comes by itself.
    if (name === 'policy') return named.length > 0 ? [`--policy ${named}`] : []
    return [`--${name} ${text}`]
  })
  return `pnpm storm ${flags.join(' ')} --until ${UNTIL_MS / 60_000}m`
}

function flagsOf(settings: StormSettings): [name: string, text: string][] {
  const hasOwn = settings.policies.includes(OWN_POLICY)
  const text = <Key extends keyof StormSettings>(key: Key) =>
    (PARAMETERS[key] as Parameter<StormSettings[Key]>).write(settings[key])
  return KEYS.filter(key => hasOwn || !KEYS_OF_OWN_POLICY.includes(key)).map(key => [
    PARAMETERS[key].name,
    text(key),
  ])
}

function wholeNumber(name: string, [low, high]: readonly [number, number]): Parameter<number> {
  return {
    name,
    read: text => inRange(/^\d+$/.test(text) ? Number(text) : Number.NaN, low, high),
    write: String,
    range: [String(low), String(high)],
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, m: 60_000 }

/** `500`, `500ms`, `60s` or `2m`, as on the command line. */
function duration(name: string, [low, high]: readonly [number, number]): Parameter<number> {
  const write = (ms: number) => (ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`)
  return {
    name,
    read(text) {
      const [, digits, unit = ''] = /^(\d+)(ms|s|m)?$/.exec(text) ?? []
      return inRange(Number(digits) * (UNIT_MS[unit] as number), low, high)
    },
    write,
    range: [write(low), write(high)],
  }
}

function inRange(value: number, low: number, high: number): { value: number } | undefined {
  return value >= low && value <= high ? { value } : undefined
}

function orNone<Value>(parameter: Parameter<Value>): Parameter<Value | undefined> {
  return {
    ...parameter,
    read: text => (text === NONE ? { value: undefined } : parameter.read(text)),
    write: value => (value === undefined ? NONE : parameter.write(value)),
  }
}

function oneOf<Value extends string>(name: string, values: readonly Value[]): Parameter<Value> {
  return {
    name,
    read(text) {
      const value = values.find(each => each === text)
      return value && { value }
    },
    write: String,
  }
}

function pairOf(name: string, values: readonly string[]): Parameter<readonly [string, string]> {
  return {
    name,
    read(text) {
      const [first = '', second = '', ...more] = text.split(',')
      const isKnown = values.includes(first) && values.includes(second) && more.length === 0
      return isKnown ? { value: [first, second] } : undefined
    },
    write: String,
  }
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
