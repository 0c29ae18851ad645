import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  BROKEN_VARIANTS,
  isSettled,
  openStage,
  runInLanes,
  type Stage,
  Tally,
} from '@query-retry/checkout-api/chaos'
import { chromium } from 'playwright'
import { chromiumLaunchOptions } from '../chromium.ts'
import { VISITOR } from '../src/session.ts'
import { audit, type Violation } from './audit.ts'
import { BROKEN_CLIENTS } from './broken-clients.ts'
import { Chronicle } from './chronicle.ts'
import { collectEvidence } from './collect-evidence.ts'
import type { DeviceEnd, Evidence } from './evidence.ts'
import { Front } from './front.ts'
import { Person, type PlacedOrder, type World } from './person.ts'
import { type CheckoutPlan, planRun, type RunPlan } from './plan.ts'
import { Profile } from './profile.ts'
import { LATEST_REQUEST_MS } from './request-faults.ts'
import { serveShopPage } from './shop-page.ts'
import { STORIES } from './stories.ts'

/** Browsers of their own, each with one checkout after the other. Most of the time each of them waits. */
const BROWSERS_AT_ONCE = 32
/** Evenly, so that not everything of a run falls into its first second. */
const CHECKOUT_EVERY_MS = 60
const ORDERS_AT_ONCE = 8
/** How long what is slow may take. A broken client never comes to rest; nobody waits long for it. */
const HONEST = { patienceMs: 90_000, settleMs: 30_000 }
const BROKEN = { patienceMs: 15_000, settleMs: 2_500 }
const GUARDLESS = 'no-order-guard'
/** Two browsers share no key: only the server can know that they pay the same order. */
const STORIES_OF_ONE_BROWSER = Object.keys(STORIES).filter(name => name !== 'two-browsers')

export interface RunOptions {
  /** Any database of a PostgreSQL server on which databases may be created. */
  serverUrl: string
  seed: number
  checkouts: number
  /** A name of BROKEN_CLIENTS. Default: the shop's own client. */
  client?: string | undefined
  /**
   * True: the server charges an order as often as it is asked to under another key, and nobody pays in
   * two browsers. Default: what the broken client wants, else false.
   */
  unguarded?: boolean | undefined
  /** Ends the run and everything it started. */
  signal?: AbortSignal | undefined
  onProgress?: (line: string) => void
}

export interface RunReport {
  plan: RunPlan
  tally: Tally
  evidence: Evidence
  chronicle: Chronicle
  violations: Violation[]
  tookMs: number
}

/**
 * Checks orders out in real browsers, on real processes, while everything fails around them; has
 * everybody come back, waits until all is quiet, and audits what is left behind.
 */
export async function runChaos(options: RunOptions): Promise<RunReport> {
  const { serverUrl, seed, checkouts, client } = options
  const startedAtMs = performance.now()
  const broken = client === undefined ? undefined : BROKEN_CLIENTS[client]
  const { patienceMs, settleMs } = broken ? BROKEN : HONEST
  const unguarded = options.unguarded || broken?.isServerGuarded === false
  const stories = broken?.stories ?? (unguarded ? STORIES_OF_ONE_BROWSER : undefined)
  const plan = planRun({ seed, checkouts, stories })
  const tally = new Tally()
  const chronicle = new Chronicle()
  const surprises: Violation[] = []
  const closing: (() => unknown)[] = []
  try {
    const guardless = BROKEN_VARIANTS[GUARDLESS]
    const stage = await openStage({
      ...{ serverUrl, tally, surprises: surprises as never, orders: [] },
      variant: unguarded && guardless ? { name: GUARDLESS, variant: guardless } : undefined,
    })
    closing.push(() => stage.close())
    const { supervisor } = stage
    const page = await serveShopPage()
    closing.push(() => page.close())
    const front = await Front.start({ plan, supervisor, tally, chronicle })
    closing.push(() => front.close())
    const browser = await chromium.launch(await chromiumLaunchOptions())
    closing.push(() => browser.close())
    const placed = await placeOrders(stage, plan)
    const world: World = {
      ...{ browser, front, tally, chronicle, patienceMs, surprises },
      pageUrl: page.url,
      mistake: broken?.does,
    }
    const ends = await checkAllOut(world, stage, plan, placed, options)
    await settle(stage, settleMs)
    const evidence = await collectEvidence({
      ...{ stage, placed, ends, surprises, requests: front.requests },
    })
    const tookMs = performance.now() - startedAtMs
    return { plan, tally, evidence, chronicle, violations: audit(evidence), tookMs }
  } finally {
    for (const step of closing.reverse()) await step()
  }
}

async function checkAllOut(
  world: World,
  { supervisor, providerUrl }: Stage,
  plan: RunPlan,
  placed: readonly PlacedOrder[],
  { signal, onProgress = () => undefined }: RunOptions,
): Promise<DeviceEnd[]> {
  const ends: DeviceEnd[] = []
  const profiles: Profile[] = []
  const harmless = takeTurns(() => sleep(CHECKOUT_EVERY_MS))
  const deadly = takeTurns(() => supervisor.atFullStrength())
  let done = 0
  const checkOut = async ([index, checkout]: [number, CheckoutPlan]) => {
    await (checkout.isDeadly ? deadly : harmless).next()
    signal?.throwIfAborted()
    for (const fault of checkout.providerFaults) {
      await setProviderFault(providerUrl, { ...fault, reference: placed[index]?.id })
    }
    const profile = profiles.pop() ?? (await Profile.create(world.browser))
    const order = placed[index] as PlacedOrder
    ends.push(...(await Person.checkOut(world, checkout, order, profile)))
    profiles.push(profile)
    done += 1
    if (done % 100 === 0) onProgress(`${done} of ${plan.checkouts.length} checkouts`)
  }
  await runInLanes(BROWSERS_AT_ONCE, [...plan.checkouts.entries()], checkOut)
  return ends
}

/** Each its own order, through the API, before any trouble begins. */
async function placeOrders({ supervisor }: Stage, plan: RunPlan): Promise<PlacedOrder[]> {
  const url = supervisor.worker(0)?.url
  const login = await post(`${url}/session`, { visitor: VISITOR })
  const { token } = (await login.json()) as { token: string }
  const placed: PlacedOrder[] = []
  await runInLanes(ORDERS_AT_ONCE, [...plan.checkouts.keys()], async index => {
    const answer = await post(
      `${url}/orders`,
      { cart: 'cart_demo' },
      { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() },
    )
    const { id, total } = (await answer.json()) as { id: string; total: { amount: number } }
    placed[index] = { id, amount: total.amount }
  })
  return placed
}

async function setProviderFault(providerUrl: string, fault: object): Promise<void> {
  await post(`${providerUrl}/faults`, fault)
}

async function post(url: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return answer
}

/** Waits until nothing is at work any more, or for `settleMs`: the audit finds what is not. */
async function settle({ database }: Stage, settleMs: number): Promise<void> {
  await sleep(LATEST_REQUEST_MS)
  const untilMs = performance.now() + settleMs
  while (!(await isSettled(database.client)) && performance.now() < untilMs) await sleep(100)
}

/** One after another: each turn comes `pause` after the one before. */
function takeTurns(pause: () => Promise<void>): { next(): Promise<void> } {
  let last = Promise.resolve()
  return {
    next() {
      last = last.then(pause)
      return last
    },
  }
}
