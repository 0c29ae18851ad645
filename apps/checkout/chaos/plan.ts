import type { ProviderFault } from '@query-retry/checkout-api'
import { Draws } from '@query-retry/checkout-api/chaos'
import { drawRequestFault, type RequestFault, type RequestKind } from './request-faults.ts'
import { DEADLY, STORIES, type Step } from './stories.ts'

/** Everything that a run will try, before it begins. The same seed gives the same plan. */
export interface RunPlan {
  seed: number
  checkouts: readonly CheckoutPlan[]
}

export interface CheckoutPlan {
  /** For people, and the path of its draws: `checkout-0012`. */
  name: string
  story: string
  steps: readonly Step[]
  /** It ends a process of the server, and begins only when all are there. */
  isDeadly: boolean
  /** What its first requests to pay suffer; later ones, and all others, are drawn. */
  firstFaults: readonly (RequestFault | undefined)[]
  /** For this order's charges alone. */
  providerFaults: readonly ProviderFault[]
  hasThrowingCallback: boolean
  /** What the person does when, at the end, a card has been refused. */
  afterRefusal: 'other-card' | 'leave'
  /** How the person, at the end, finds out what is not known: by asking, or by calling it off. */
  inDoubt: 'check-again' | 'pay-differently'
}

export interface PlanOptions {
  seed: number
  checkouts: number
  /** Names of the only stories to deal. Default: all of them. */
  stories?: readonly string[] | undefined
}

/**
 * Of the requests that come while there is trouble. Those of the calm end count as well, and have none,
 * so that this is more than the share that a run ends with.
 */
const FAULT_RATIO = 0.4
/** A crash costs a start, and a start half a second of a processor. */
const PACKS_PER_DEADLY = 2

export function planRun({ seed, checkouts: count, stories }: PlanOptions): RunPlan {
  const dealt = deal(seed, count, stories ?? Object.keys(STORIES))
  return { seed, checkouts: dealt.map((story, index) => planCheckout(seed, index, story)) }
}

/** What the request with this number suffers, of those of one checkout. */
export function planRequest(
  seed: number,
  checkout: string,
  index: number,
  kind: RequestKind,
): RequestFault | undefined {
  const draws = new Draws(seed, checkout, 'request', index)
  return draws.chance(FAULT_RATIO) ? drawRequestFault(draws, kind) : undefined
}

function planCheckout(seed: number, index: number, story: string): CheckoutPlan {
  const name = `checkout-${String(index).padStart(4, '0')}`
  const draws = new Draws(seed, name)
  const tell = STORIES[story]
  if (!tell) throw new RangeError(`there is no story ${story}`)
  const { steps, firstFaults = [], providerFaults = [], hasThrowingCallback = false } = tell(draws)
  return {
    ...{ name, story, steps, firstFaults, providerFaults },
    isDeadly: story in DEADLY,
    // On top of any story.
    hasThrowingCallback: hasThrowingCallback || draws.chance(0.1),
    afterRefusal: draws.chance(0.6) ? 'other-card' : 'leave',
    inDoubt: draws.chance(0.3) ? 'pay-differently' : 'check-again',
  }
}

/** Pack after pack of stories, each shuffled anew; deadly ones in every second. */
function deal(seed: number, count: number, stories: readonly string[]): string[] {
  const harmless = stories.filter(name => !(name in DEADLY))
  const dealt: string[] = []
  for (let pack = 0; dealt.length < count; pack += 1) {
    const isWhole = pack % PACKS_PER_DEADLY === 0 || harmless.length === 0
    dealt.push(...new Draws(seed, 'pack', pack).shuffle(isWhole ? stories : harmless))
  }
  return dealt.slice(0, count)
}
