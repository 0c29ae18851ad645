import type { BrowserContext, Page } from 'playwright'
import type { JournalEntry } from './evidence.ts'
import type { Card, Press } from './stories.ts'

/** What the till shows: its phase, and whether it says that the last payment was refused. */
export interface Shown {
  phase: string
  isRefused: boolean
}

export interface PageListener {
  /** Told what the page throws and nobody catches. */
  onError(error: Error): void
  /** Told of something that happened within the page: what it writes to the console as `chaos: ...`. */
  onNote(note: string): void
}

const LOAD_LIMIT_MS = 15_000
/** Far more than a page needs to say something new; who waits for longer asks again. */
const LOOKS_EVERY_MS = 50

/** One tab of a real browser with the till in it. It may be reloaded, closed and crashed. */
export class Tab {
  readonly #page: Page
  listener: PageListener | undefined

  private constructor(page: Page) {
    this.#page = page
    page.on('pageerror', error => this.listener?.onError(error))
    page.on('console', message => {
      const [, note] = /^chaos: (.+)$/.exec(message.text()) ?? []
      if (note) this.listener?.onNote(note)
    })
  }

  static async create(context: BrowserContext): Promise<Tab> {
    return new Tab(await context.newPage())
  }

  get isClosed(): boolean {
    return this.#page.isClosed()
  }

  isOf(page: Page): boolean {
    return page === this.#page
  }

  async goTo(url: string): Promise<void> {
    await this.#page.goto(url, { waitUntil: 'commit', timeout: LOAD_LIMIT_MS })
    await this.#ready()
  }

  /** Within the page, as a shop goes from one order to the next. */
  async showOther(url: string): Promise<void> {
    await this.#page.evaluate(address => {
      history.pushState(null, '', address)
      dispatchEvent(new PopStateEvent('popstate'))
    }, url)
    await this.#ready()
  }

  async reload(): Promise<void> {
    await this.#page.reload({ waitUntil: 'commit', timeout: LOAD_LIMIT_MS })
    await this.#ready()
  }

  /** Without a word to the page: no handler of it is asked. */
  close(): Promise<void> {
    return this.#page.close({ runBeforeUnload: false })
  }

  /** Its process ends. */
  async crash(): Promise<void> {
    const crashed = this.#page.waitForEvent('crash', { timeout: LOAD_LIMIT_MS })
    const session = await this.#page.context().newCDPSession(this.#page)
    // Nobody is left to answer.
    session.send('Page.crash').catch(() => undefined)
    await crashed
    await this.close()
  }

  /** Undefined where no till is there. */
  shown(): Promise<Shown | undefined> {
    return this.#page.evaluate(() => {
      const till = document.querySelector<HTMLElement>('.payment')
      return till
        ? { phase: till.dataset.phase ?? '', isRefused: till.dataset.refused === 'true' }
        : undefined
    })
  }

  /** @returns whether the till came to one of these phases in time */
  async waitForPhase(phases: readonly string[], limitMs: number): Promise<boolean> {
    try {
      await this.#page.waitForFunction(
        wanted =>
          wanted.includes(document.querySelector<HTMLElement>('.payment')?.dataset.phase ?? ''),
        phases,
        { timeout: Math.max(1, limitMs), polling: LOOKS_EVERY_MS },
      )
      return true
    } catch {
      return false
    }
  }

  /** @returns false where there was no form to choose a card in */
  choose(card: Card): Promise<boolean> {
    return this.#page.evaluate(value => {
      const radio = document.querySelector<HTMLInputElement>(`.payment input[value="${value}"]`)
      radio?.click()
      return radio !== null
    }, card)
  }

  /** @returns how often the button was pressed */
  async press(press: Press): Promise<number> {
    if (press === 'enter-and-click') return this.#enterAndClick()
    const times = press === 'double-click' ? 2 : 1
    return this.#page.evaluate(count => {
      const button = document.querySelector<HTMLButtonElement>('.payment__pay')
      // In one task: nothing is rendered in between.
      for (let index = 0; index < count; index += 1) button?.click()
      return button ? count : 0
    }, times)
  }

  /** @param which - 0: check again, 1: pay differently. @returns whether it was there to be pressed */
  pressInDoubt(which: 0 | 1): Promise<boolean> {
    return this.#page.evaluate(index => {
      const button = document.querySelectorAll<HTMLButtonElement>('.payment__ways button')[index]
      if (!button || button.ariaDisabled === 'true') return false
      button.click()
      return true
    }, which)
  }

  /** Everything that the journal went through with this order, in all tabs of this browser. */
  readJournal(order: string): Promise<JournalEntry[]> {
    return this.#page.evaluate(id => {
      const name = Object.keys(localStorage).find(
        key => key.startsWith('chaos.history:') && key.includes(id),
      )
      return JSON.parse((name && localStorage.getItem(name)) || '[]')
    }, order)
  }

  /** Both ways of a form, by keyboard and pointer as the browser knows them. */
  async #enterAndClick(): Promise<number> {
    const box = await this.#page.locator('.payment__pay').boundingBox()
    if (!box) return 0
    await this.#page.locator('.payment input:checked').focus()
    await Promise.all([
      this.#page.keyboard.press('Enter'),
      this.#page.mouse.click(box.x + box.width / 2, box.y + box.height / 2),
    ])
    return 2
  }

  async #ready(): Promise<void> {
    await this.#page.waitForSelector('.payment', { state: 'attached', timeout: LOAD_LIMIT_MS })
  }
}
