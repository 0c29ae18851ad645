import { createRetryPolicy, DEFAULT_RETRY_POLICY, type Jitter } from '@query-retry/core'
import { COMPARED_POLICIES, type ComparedPolicy } from '@query-retry/lab'

/** The preset with settings of one's own, beside the lab's policies: also called so on its command line. */
export const OWN_POLICY = 'yours'

export const POLICY_NAMES: readonly string[] = [
  ...COMPARED_POLICIES.map(policy => policy.name),
  OWN_POLICY,
]

export const JITTERS = ['full', 'equal', 'decorrelated', 'none'] as const satisfies Jitter[]

/** What a storm is made of. Durations are milliseconds. */
export interface StormSettings {
  clients: number
  /** Calls per second. */
  capacity: number
  /** From the start on. */
  outageMs: number
  /** What refusals ask for; undefined where they ask for nothing. */
  retryAfterMs: number | undefined
  /** Names of the two that are compared. */
  policies: readonly [string, string]
  /** Of {@link OWN_POLICY}. */
  maxRetries: number
  capMs: number
  deadlineMs: number
  jitter: Jitter
}

/** The picture of the README: 4,200 clients, room for a tenth of them in each second, no outage. */
export const DEFAULT_SETTINGS: StormSettings = {
  clients: 4_200,
  capacity: 420,
  outageMs: 0,
  retryAfterMs: undefined,
  policies: ['tanstack', 'preset'],
  maxRetries: DEFAULT_RETRY_POLICY.maxRetries,
  capMs: DEFAULT_RETRY_POLICY.capMs,
  deadlineMs: DEFAULT_RETRY_POLICY.deadlineMs,
  jitter: DEFAULT_RETRY_POLICY.jitter,
}

/** What a link may ask for, ends included. */
export const RANGES = {
  clients: [100, 100_000],
  capacity: [10, 10_000],
  outageMs: [0, 600_000],
  retryAfterMs: [0, 60_000],
  maxRetries: [0, 10],
  capMs: [1_000, 60_000],
  deadlineMs: [5_000, 600_000],
} as const satisfies Partial<Record<keyof StormSettings, readonly [number, number]>>

/** The grain of the curves. */
export const SLOT_MS = 100

/** Policies that ask until they are served would else keep a tab busy for as long as anybody has patience. */
export const UNTIL_MS = 1_200_000

/** @throws {Error} for a name that nobody has */
export function policyNamed(
  name: string,
  settings: StormSettings,
): Partial<ComparedPolicy> & Pick<ComparedPolicy, 'policy'> {
  if (name === OWN_POLICY) {
    const { maxRetries, capMs, deadlineMs, jitter } = settings
    return { policy: createRetryPolicy({ maxRetries, capMs, deadlineMs, jitter }) }
  }
  const found = COMPARED_POLICIES.find(policy => policy.name === name)
  if (!found) throw new Error(`no policy is called ${name}`)
  return found
}
