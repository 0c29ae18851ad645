import { setTimeout as sleep } from 'node:timers/promises'
import type { Tally } from '@query-retry/checkout-api/chaos'
import type { Browser } from 'playwright'
import type { Violation } from './audit.ts'
import type { Chronicle } from './chronicle.ts'
import type { DeviceEnd, JournalEntry } from './evidence.ts'
import type { Front } from './front.ts'
import type { CheckoutPlan } from './plan.ts'
import { Profile } from './profile.ts'
import { ATTEMPT_LIMIT_MS } from './request-faults.ts'
import type { Card, Step } from './stories.ts'
import type { PageListener, Shown, Tab } from './tab.ts'

/** What all persons of a run share. */
export interface World {
  browser: Browser
  pageUrl: string
  front: Front
  tally: Tally
  chronicle: Chronicle
  /** A name of MISTAKES: the client is broken on purpose. */
  mistake: string | undefined
  /** Who has come to no end after this long, without any fault, never will. */
  patienceMs: number
  surprises: Violation[]
}

export interface PlacedOrder {
  id: string
  amount: number
}

const FORM_LIMIT_MS = 3_000
const PAUSE_MS = 300
const UNDER_WAY = ['sending', 'waiting', 'paused']
const AT_REST = ['choose', 'unknown', 'expired', 'conflict', 'paid', 'already-paid']
const PAID = ['paid', 'already-paid']
/** Other tabs of the same browser hear of it at once. */
const AGREE_LIMIT_MS = 5_000
const MOST_OTHER_CARDS = 3

/** Whoever pays one order: goes through the story, then comes back and follows the page to an end. */
export class Person {
  readonly #world: World
  readonly #plan: CheckoutPlan
  readonly #order: PlacedOrder
  readonly #profile: Profile
  #tab: Tab
  #second: Tab | undefined
  #phone: { profile: Profile; tab: Tab } | undefined
  #isOffline = false

  private constructor(
    world: World,
    plan: CheckoutPlan,
    order: PlacedOrder,
    profile: Profile,
    tab: Tab,
  ) {
    this.#world = world
    this.#plan = plan
    this.#order = order
    this.#profile = profile
    this.#tab = tab
  }

  /**
   * One checkout, from its first page to its end.
   *
   * @param profile - the browser of this person, who may have paid other orders before
   */
  static async checkOut(
    world: World,
    plan: CheckoutPlan,
    order: PlacedOrder,
    profile: Profile,
  ): Promise<DeviceEnd[]> {
    const tab = await profile.open(pageAddress(world, plan, order, 'first'), listen(world, plan))
    const person = new Person(world, plan, order, profile, tab)
    try {
      for (const step of plan.steps) await person.#try(step)
      return await person.#comeBack()
    } finally {
      await person.#leave()
    }
  }

  /** What does not fit, as the page shows something else, is left out. */
  async #try(step: Step): Promise<void> {
    const { chronicle, tally } = this.#world
    chronicle.note(this.#plan.name, describe(step))
    try {
      const happened = await this.#do(step)
      if (happened) tally.add(`happened: ${happened}`)
      else chronicle.note(this.#plan.name, `  left out: ${await this.#describeShown()}`)
    } catch (error) {
      tally.add(`failed: ${step.do}: ${firstLine(error)}`)
      chronicle.note(this.#plan.name, `  failed: ${firstLine(error)}`)
    }
  }

  /** @returns what happened, as the tally calls it; undefined where nothing did */
  async #do(step: Step): Promise<string | undefined> {
    switch (step.do) {
      case 'pay': {
        const wasRefused = (await this.#tab.shown())?.isRefused
        if (!(await this.#isAtForm(this.#tab, step.card))) return undefined
        if ((await this.#tab.press(step.press)) === 0) return undefined
        if (wasRefused) this.#world.tally.add('happened: another card after a refusal')
        return `paid by ${step.press}${this.#isOffline ? ' while offline' : ''}`
      }
      case 'pay-in-two-tabs':
        return this.#payInTwoTabs(step.cards)
      case 'open-elsewhere': {
        const profile = await Profile.create(this.#world.browser)
        this.#phone = { profile, tab: await this.#openTab(profile, 'phone') }
        return 'opened in another browser'
      }
      case 'pay-elsewhere':
        return this.#payElsewhere(step.card)
      case 'wait':
        await sleep(step.forMs)
        return 'waited'
      case 'wait-for-outcome':
        await this.#tab.waitForPhase(AT_REST, step.forMs)
        return 'waited'
      case 'reload': {
        const when = await this.#whileUnderWay()
        const reloaded = this.#tab.reload()
        // The browser then shows a page of its own.
        await (this.#isOffline ? reloaded.catch(() => undefined) : reloaded)
        return `reloaded ${this.#isOffline ? 'while offline' : when}`
      }
      case 'kill-tab': {
        const when = await this.#whileUnderWay()
        await this.#tab.close()
        await this.#openAgain(step.awayMs)
        return `tab killed ${when}`
      }
      case 'crash-tab': {
        const when = await this.#whileUnderWay()
        await this.#tab.crash()
        await this.#openAgain(step.awayMs)
        return `tab crashed ${when}`
      }
      case 'close-second-tab': {
        if (!this.#second) return undefined
        const when = await this.#whileUnderWay()
        await this.#second.close()
        this.#second = undefined
        return `second tab closed ${when}`
      }
      case 'go-offline': {
        const when = await this.#whileUnderWay()
        this.#isOffline = true
        await this.#profile.context.setOffline(true)
        return `offline ${when}`
      }
      case 'go-online':
        await this.#goOnline()
        return 'online again'
      case 'check-again':
        return (await this.#tab.pressInDoubt(0)) ? 'checked again' : undefined
      case 'pay-differently':
        return (await this.#tab.pressInDoubt(1)) ? this.#tellOfFence(this.#tab) : undefined
    }
  }

  async #payInTwoTabs(cards: readonly [Card, Card]): Promise<string | undefined> {
    this.#second = await this.#openTab()
    const tabs = [this.#tab, this.#second] as const
    const areThere = await Promise.all(
      tabs.map((tab, index) => this.#isAtForm(tab, cards[index] as Card)),
    )
    if (areThere.includes(false)) return undefined
    const pressed = await Promise.all(tabs.map(tab => tab.press('click')))
    if (pressed.includes(0)) return 'paid in the one of two tabs that was first'
    return cards[0] === cards[1] ? 'paid in two tabs at once' : 'paid in two tabs, by two cards'
  }

  async #payElsewhere(card: Card): Promise<string | undefined> {
    const tab = this.#phone?.tab
    if (!tab || !(await this.#isAtForm(tab, card))) return undefined
    const when = await this.#whileUnderWay()
    return (await tab.press('click')) ? `paid in another browser ${when}` : undefined
  }

  async #isAtForm(tab: Tab, card: Card): Promise<boolean> {
    return (await tab.waitForPhase(['choose'], FORM_LIMIT_MS)) && tab.choose(card)
  }

  async #openAgain(awayMs: number): Promise<void> {
    await sleep(awayMs)
    this.#tab = await this.#openTab()
  }

  #openTab(profile = this.#profile, device = 'first'): Promise<Tab> {
    const address = pageAddress(this.#world, this.#plan, this.#order, device)
    return profile.open(address, listen(this.#world, this.#plan))
  }

  async #goOnline(): Promise<void> {
    this.#isOffline = false
    await this.#profile.context.setOffline(false)
    // A page that was reloaded meanwhile is the browser's own.
    if (!(await this.#tab.shown())) {
      await this.#tab.goTo(pageAddress(this.#world, this.#plan, this.#order, 'first'))
    }
  }

  async #whileUnderWay(): Promise<string> {
    const phase = (await this.#tab.shown())?.phase ?? ''
    if (UNDER_WAY.includes(phase)) return 'while it paid'
    return AT_REST.slice(1, 4).includes(phase) ? 'in doubt' : 'at rest'
  }

  /** What came of the wish to pay differently. */
  async #tellOfFence(tab: Tab): Promise<string> {
    await sleep(PAUSE_MS)
    await tab.waitForPhase(AT_REST, FORM_LIMIT_MS)
    const shown = await tab.shown()
    if (shown?.phase === 'choose' && shown.isRefused) return 'called off'
    return PAID.includes(shown?.phase ?? '') ? 'too late to call off' : 'not called off yet'
  }

  /** No more trouble: whatever is open is followed to its end, on every device. */
  async #comeBack(): Promise<DeviceEnd[]> {
    const { front, chronicle } = this.#world
    front.calm(this.#plan.name)
    chronicle.note(this.#plan.name, 'comes back, without any trouble')
    if (this.#isOffline) await this.#goOnline()
    const givesUpAtMs = performance.now() + this.#world.patienceMs
    const ends = [await this.#follow(this.#tab, 'first', givesUpAtMs)]
    if (this.#phone) ends.push(await this.#follow(this.#phone.tab, 'phone', givesUpAtMs))
    if (this.#second && ends[0]?.end !== 'stuck') await this.#compareTabs(this.#second, ends[0])
    return ends
  }

  async #follow(tab: Tab, device: string, givesUpAtMs: number): Promise<DeviceEnd> {
    const { chronicle, tally } = this.#world
    const { name: checkout, afterRefusal, inDoubt } = this.#plan
    let end: DeviceEnd['end'] = 'stuck'
    let shown: Shown | undefined
    let otherCards = afterRefusal === 'other-card' ? MOST_OTHER_CARDS : 0
    let asked = 0
    while (end === 'stuck' && performance.now() < givesUpAtMs) {
      shown = await tab.shown()
      const phase = shown?.phase ?? ''
      if (PAID.includes(phase)) end = 'succeeded'
      else if (phase === 'choose' && shown?.isRefused && otherCards === 0) end = 'rejected'
      else if (phase === 'choose') {
        if (shown?.isRefused) {
          otherCards -= 1
          tally.add('happened: another card after a refusal')
        }
        chronicle.note(checkout, `${device}: pays`)
        if (await tab.choose('card_ok')) await tab.press('click')
        await tab.waitForPhase(UNDER_WAY, PAUSE_MS)
        await tab.waitForPhase(AT_REST, PAUSE_MS)
      } else if (['unknown', 'expired', 'conflict'].includes(phase)) {
        // Who could not call it off asks, and the other way round.
        const which = (inDoubt === 'pay-differently') === (asked % 2 === 0) ? 1 : 0
        asked += 1
        if (await tab.pressInDoubt(phase === 'conflict' ? 0 : which)) {
          chronicle.note(checkout, `${device}: ${which ? 'pays differently' : 'checks again'}`)
          tally.add(`happened: ${which ? await this.#tellOfFence(tab) : 'checked again'}`)
        }
        await sleep(PAUSE_MS)
      } else await tab.waitForPhase(AT_REST, PAUSE_MS)
    }
    const journal = await tab.readJournal(this.#order.id)
    chronicle.note(checkout, `${device}: ${end}, shown as ${shown?.phase}`)
    chronicle.note(checkout, `${device}: its journal was ${journal.map(describeEntry).join(', ')}`)
    const order = this.#order.id
    return { checkout, device, order, end, shown: shown?.phase ?? 'no page', journal }
  }

  /** Two tabs of one browser show the same in the end. */
  async #compareTabs(second: Tab, first: DeviceEnd | undefined): Promise<void> {
    const wanted = first?.end === 'succeeded' ? PAID : ['choose']
    if (await second.waitForPhase(wanted, AGREE_LIMIT_MS)) return
    const phase = (await second.shown())?.phase
    const detail = `${this.#order.id}: ${first?.shown} in one, ${phase} in the other`
    this.#world.surprises.push({ kind: 'tabs-disagree', detail, checkout: this.#plan.name })
  }

  async #leave(): Promise<void> {
    await this.#profile.tidy(this.#tab)
    await this.#phone?.profile.close()
  }

  async #describeShown(): Promise<string> {
    const shown = await this.#tab.shown()
    return shown ? `shown as ${shown.phase}${shown.isRefused ? ', refused' : ''}` : 'no page'
  }
}

function pageAddress(
  { pageUrl, front, mistake }: World,
  { name, hasThrowingCallback }: CheckoutPlan,
  { id, amount }: PlacedOrder,
  device: string,
): string {
  const query = new URLSearchParams({
    api: front.addressFor(name, device),
    order: id,
    amount: String(amount),
    limit: String(ATTEMPT_LIMIT_MS),
    ...(mistake && { mistake }),
    ...(hasThrowingCallback && { throws: '1' }),
  })
  return `${pageUrl}/?${query}`
}

/** What a page says by itself: an error that nobody caught is a violation. */
function listen({ surprises, tally }: World, { name }: CheckoutPlan): PageListener {
  return {
    onError: error =>
      surprises.push({
        kind: 'page-error',
        detail: `${name}: ${firstLine(error)}`,
        checkout: name,
      }),
    onNote: note => tally.add(`happened: ${note}`),
  }
}

function describe({ do: what, ...how }: Step): string {
  return [what, ...Object.values(how).map(String)].join(' ')
}

function describeEntry({ key, state, dispatchCount }: JournalEntry): string {
  return `${key.slice(0, 8)} ${state}${state === 'sending' ? ` for the ${dispatchCount}.` : ''}`
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? ''
}
