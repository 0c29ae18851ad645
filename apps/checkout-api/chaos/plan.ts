import type { ProviderFault } from '../src/provider/fault.ts'
import { Draws } from './draws.ts'
import {
  type Attempt,
  type Card,
  type ClientScript,
  CRASHES,
  LEASE_MS,
  SITUATIONS,
} from './situations.ts'

/** Everything a run will try, before it begins. The same seed gives the same plan. */
export interface RunPlan {
  seed: number
  orders: readonly OrderPlan[]
}

export interface OrderPlan {
  id: string
  principal: Principal
  amount: number
  currency: 'KRW'
  situation: string
  /** It ends a process, and begins only when all are there. */
  isDeadly: boolean
  /** For this order's charges alone. */
  providerFaults: readonly ProviderFault[]
  /** What happens to a whole process while this order is being paid. */
  outage: Outage | undefined
  /** Key a, then key b. */
  keys: readonly KeyPlan[]
  /** Used only where neither key has paid: another card under a new key, and no more faults. */
  lastKey: KeyPlan
}

export const PRINCIPALS = ['mina', 'jun'] as const
export type Principal = (typeof PRINCIPALS)[number]

export type Outage =
  | { kind: 'kill'; worker: number; afterMs: number }
  | { kind: 'stop'; worker: number; afterMs: number; forMs: number }
  /** The database server ends every connection, in whatever transaction it is. */
  | { kind: 'disconnect'; afterMs: number }

export interface KeyPlan {
  key: string
  card: Card
  clients: readonly ClientPlan[]
}

export interface ClientPlan {
  /** For example `chaos-0012 a1`; also the path of its draws. */
  name: string
  startsAfterMs: number
  /** What it does first; after that it pays, calmly, until it has its answer. */
  attempts: readonly Attempt[]
  leaves: boolean
  /** Has its answer and asks again after this long: it must be the same. */
  asksAgainAfterMs: number | undefined
}

export interface PlanOptions {
  seed: number
  orders: number
  /** Names of the only situations to deal, without outages. Default: all of them, and outages. */
  situations?: readonly string[] | undefined
}

export const WORKERS = 2

/** Each kind of outage happens once in so many orders. */
const ORDERS_PER_OUTAGE = 60
/** After the first pack. A crash costs a start, and a start half a second of a processor. */
const CRASHES_PER_PACK = 2
const DRAWN_ATTEMPTS = 2

export function planRun({ seed, orders: count, situations }: PlanOptions): RunPlan {
  const dealt = deal(seed, count, situations ?? Object.keys(SITUATIONS))
  const outages = situations ? new Map<number, Outage>() : planOutages(seed, count)
  const orders = dealt.map((situation, index) =>
    planOrder(seed, index, { situation, outage: outages.get(index) }),
  )
  return { seed, orders }
}

/** An attempt beyond those of the plan: pays, without any fault. Any number of them may follow. */
export function planLaterAttempt(seed: number, client: string, index: number): Attempt {
  const draws = new Draws(seed, client, index)
  return { action: 'pay', worker: draws.between(0, WORKERS - 1), pauseRatio: 0.5 + draws.ratio() }
}

function planOrder(
  seed: number,
  index: number,
  given: Pick<OrderPlan, 'situation' | 'outage'>,
): OrderPlan {
  const id = `chaos-${String(index).padStart(5, '0')}`
  const draws = new Draws(seed, id)
  const direct = SITUATIONS[given.situation]
  if (!direct) throw new RangeError(`there is no situation ${given.situation}`)
  const { cards, providerFaults = [], a1, a2, b1, b2 } = direct(draws)
  const client = (name: string, script: ClientScript) => planClient(seed, `${id} ${name}`, script)
  // Shared by two orders, one of each principal: the same string, and yet two keys.
  const pair = Math.floor(index / PRINCIPALS.length)
  const key = (name: string) =>
    `chaos-key-${pair}-${name}-${new Draws(seed, 'pair', pair, name).between(0, 0xffff_ffff).toString(16)}`
  return {
    id,
    principal: PRINCIPALS[index % PRINCIPALS.length] ?? 'mina',
    amount: draws.between(1_000, 90_000),
    currency: 'KRW',
    ...given,
    isDeadly: given.situation in CRASHES || given.outage?.kind === 'kill',
    providerFaults: providerFaults.map(fault => ({ ...fault, reference: id })),
    keys: [
      { key: key('a'), card: cards?.a ?? 'card_ok', clients: [client('a1', a1), client('a2', a2)] },
      { key: key('b'), card: cards?.b ?? 'card_ok', clients: [client('b1', b1), client('b2', b2)] },
    ],
    lastKey: { key: key('c'), card: 'card_ok', clients: [calmClient(`${id} c1`)] },
  }
}

function planClient(seed: number, name: string, script: ClientScript): ClientPlan {
  const draws = new Draws(seed, name)
  const scripted = script.attempts ?? []
  const count = script.leaves ? scripted.length : scripted.length + DRAWN_ATTEMPTS
  const attempts = Array.from({ length: count }, (_, index) => ({
    ...planLaterAttempt(seed, name, index),
    ...(scripted[index] ?? drawTrouble(draws)),
  }))
  return {
    name,
    startsAfterMs: script.startsAfterMs,
    attempts,
    leaves: script.leaves ?? false,
    asksAgainAfterMs: draws.chance(0.2) ? draws.between(0, 1_500) : undefined,
  }
}

function calmClient(name: string): ClientPlan {
  return { name, startsAfterMs: 0, attempts: [], leaves: false, asksAgainAfterMs: undefined }
}

/** The noise on top of every situation. */
function drawTrouble(draws: Draws): Partial<Attempt> {
  if (draws.chance(0.1)) return { action: 'look-up' }
  if (draws.chance(0.1)) return { hangsUpAfterMs: draws.between(0, 60) }
  return {}
}

/** Pack after pack of situations, each shuffled anew; the crashes among them take turns. */
function deal(seed: number, count: number, situations: readonly string[]): string[] {
  const crashes = situations.filter(name => name in CRASHES)
  const others = situations.filter(name => !(name in CRASHES))
  const isMixed = crashes.length > CRASHES_PER_PACK && others.length > 0
  const dealt = new Draws(seed, 'pack', 0).shuffle(situations)
  for (let pack = 1; dealt.length < count; pack += 1) {
    const draws = new Draws(seed, 'pack', pack)
    const next = Array.from({ length: CRASHES_PER_PACK }, (_, index) => {
      const turn = (pack - 1) * CRASHES_PER_PACK + index
      return crashes[turn % crashes.length] as string
    })
    dealt.push(...draws.shuffle(isMixed ? [...others, ...next] : situations))
  }
  return dealt.slice(0, count)
}

function planOutages(seed: number, count: number): Map<number, Outage> {
  const outages = new Map<number, Outage>()
  for (let first = 0; first < count; first += ORDERS_PER_OUTAGE) {
    const last = Math.min(first + ORDERS_PER_OUTAGE, count) - 1
    const draws = new Draws(seed, 'outages', first)
    const afterMs = () => draws.between(0, 500)
    const worker = () => draws.between(0, WORKERS - 1)
    const [killed, stopped, disconnected] = draws.shuffle(
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    )
    if (killed !== undefined)
      outages.set(killed, { kind: 'kill', worker: worker(), afterMs: afterMs() })
    if (stopped !== undefined) {
      const forMs = LEASE_MS + draws.between(200, 800)
      outages.set(stopped, { kind: 'stop', worker: worker(), afterMs: afterMs(), forMs })
    }
    if (disconnected !== undefined)
      outages.set(disconnected, { kind: 'disconnect', afterMs: afterMs() })
  }
  return outages
}
