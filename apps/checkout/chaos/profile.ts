import type { Browser, BrowserContext } from 'playwright'
import { type PageListener, Tab } from './tab.ts'

const SMALL = { viewport: { width: 400, height: 600 } }

/**
 * A browser of its own, as a person has it: with storage, locks and connections that no other one
 * shares. One order after the other is paid in it, so that its journal knows of several.
 */
export class Profile {
  readonly context: BrowserContext
  /** Left by the checkout before: a load costs more than everything else. */
  #idle: Tab | undefined

  private constructor(context: BrowserContext) {
    this.context = context
  }

  static async create(browser: Browser): Promise<Profile> {
    // Nobody looks: what is small and stands still is drawn soon.
    return new Profile(await browser.newContext({ ...SMALL, reducedMotion: 'reduce' }))
  }

  async open(url: string, listener: PageListener): Promise<Tab> {
    const tab = this.#idle ?? (await Tab.create(this.context))
    tab.listener = listener
    if (tab === this.#idle) await tab.showOther(url)
    else await tab.goTo(url)
    this.#idle = undefined
    return tab
  }

  /** Ends a checkout: everything but this tab is closed, and that is kept for the next. */
  async tidy(tab: Tab): Promise<void> {
    await this.context.setOffline(false)
    const others = this.context.pages().filter(page => !tab.isOf(page))
    await Promise.all(others.map(page => page.close()))
    tab.listener = undefined
    if (!tab.isClosed && (await tab.shown())) this.#idle = tab
  }

  close(): Promise<void> {
    return this.context.close()
  }
}
