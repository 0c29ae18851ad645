import { type Clock, checkOptions, type OptionRules, type RunBudget } from '@query-retry/core'
import { type Arrivals, allAtOnce } from './arrivals.ts'
import type { HerdPolicy } from './delay-policy.ts'
import type { ServerOptions } from './server-model.ts'

/** For whom a budget is asked, and the time and clock of the simulation. */
export interface ClientScope {
  /** From 0. */
  client: number
  /** Virtual time: a budget with another clock would refill in real time. */
  clock: Pick<Clock, 'nowMs'>
}

/** A herd, its server and the policy under trial. Durations are milliseconds. */
export interface HerdOptions extends ServerOptions {
  /** How many, each with one operation. A whole number from 1 to 10,000,000. */
  clients: number
  /** When they first call. Default {@link allAtOnce}. */
  arrivals?: Arrivals
  /**
   * What all of them retry by: core's policy (its `options` are simulated, with draws from `seed`), or a
   * formula.
   */
  policy: HerdPolicy
  /** The retry budget of each client; give several the same to have them share it. Default none. */
  budget?: (scope: ClientScope) => RunBudget
  /** Repeats the simulation exactly. A whole number from 0 to 2^32 - 1. */
  seed: number
  /** Nothing is simulated beyond. Default 3,600,000, an hour; from 1 to 10,000,000 slots. */
  untilMs?: number
  /** Called each time another hundredth of the clients is done, with how many are. */
  onProgress?: (done: number) => void
}

/** Every option with a value, but for those that have none by default. */
export type ResolvedHerdOptions = Required<
  Omit<HerdOptions, 'budget' | 'onProgress' | 'retryAfterMs'>
> &
  Pick<HerdOptions, 'budget' | 'onProgress' | 'retryAfterMs'>

/** More slots than this make a curve that nobody can look at, and that fills the memory. */
const MAX_SLOTS = 1e7
const REQUIRED = ['clients', 'capacityPerSlot', 'slotMs', 'policy', 'seed']
const DURATION = [0, 2 ** 31 - 1] as const

/** @throws {RetryOptionError} naming the option, its value and the accepted range */
export function resolveHerdOptions(options: HerdOptions): ResolvedHerdOptions {
  const resolved: ResolvedHerdOptions = {
    ...options,
    arrivals: options.arrivals ?? allAtOnce(),
    answerMs: options.answerMs ?? options.slotMs,
    queueLimit: options.queueLimit ?? 0,
    outageMs: options.outageMs ?? 0,
    outageAtMs: options.outageAtMs ?? 0,
    rejectStatus: options.rejectStatus ?? 503,
    lostAnswerRatio: options.lostAnswerRatio ?? 0,
    untilMs: options.untilMs ?? 3_600_000,
  }
  const given: Record<string, unknown> = { ...resolved }
  // What is not given is not checked, and these have to be.
  for (const option of REQUIRED) given[option] ??= null
  checkOptions(given, herdRules(resolved))
  return resolved
}

function herdRules({ answerMs, slotMs }: ResolvedHerdOptions): OptionRules {
  return {
    clients: [1, 1e7, 'whole '],
    capacityPerSlot: [0, 1e9],
    slotMs: [1, 2 ** 31 - 1],
    arrivals: 'a function',
    policy: 'an object',
    budget: 'a function',
    answerMs: typeof answerMs === 'function' ? 'a function' : DURATION,
    queueLimit: [0, Infinity, 'whole '],
    outageMs: [0, Infinity],
    outageAtMs: DURATION,
    rejectStatus: '503 or 429',
    retryAfterMs: DURATION,
    lostAnswerRatio: [0, 1],
    seed: [0, 2 ** 32 - 1, 'whole '],
    untilMs: [1, MAX_SLOTS * slotMs],
    onProgress: 'a function',
  }
}
