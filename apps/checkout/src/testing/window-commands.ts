import type { Page } from 'playwright'
import type { Plugin } from 'vite'
import type { BrowserCommand } from 'vitest/node'

/** The name under which a shop over plain http is known: one that Chromium, unlike `localhost`, does not trust. */
export const PLAIN_HOST = 'shop.test'

/** Part of an address: the page is served in a sandbox, where Chromium itself forbids every storage. */
const SANDBOXED = 'sandboxed'
const SANDBOX = 'sandbox allow-scripts allow-forms'

/** - `forbidden`: reading `localStorage` throws a SecurityError. `off`: it is null. */
export type WindowStorage = 'allowed' | 'forbidden' | 'off'

/** What stands in such a window, and what its browser offers. */
export interface WindowReport {
  /** The title of what the page says about the payment. */
  news: string | undefined
  /** What the page has warned of on its console. */
  warnings: string[]
  isSecureContext: boolean
  hasRandomUuid: boolean
  hasLocks: boolean
  /** What reading `localStorage` gives or throws. */
  storage: string
}

/** Windows outside the runner's own page, each as in a private mode: nothing is shared, nothing is kept. */
const windows = new Map<string, { page: Page; warnings: string[] }>()

function windowOf(id: string) {
  const found = windows.get(id)
  if (!found) throw new Error(`there is no window ${id}`)
  return found
}

const openWindow: BrowserCommand<[url: string, storage: WindowStorage]> = async (
  { context },
  url,
  storage,
) => {
  const page = await context.browser()?.newPage()
  if (!page) throw new Error('the runner has no browser of its own')
  const warnings: string[] = []
  page.on('console', line => line.type() === 'warning' && warnings.push(line.text()))
  if (storage === 'off') {
    await page.addInitScript("Object.defineProperty(window, 'localStorage', { value: null })")
  }
  const id = `window ${windows.size + 1}`
  windows.set(id, { page, warnings })
  await page.goto(storage === 'forbidden' ? `${url}&${SANDBOXED}` : url)
  return id
}

const pressInWindow: BrowserCommand<[id: string, name: string]> = async (_, id, name) => {
  await windowOf(id).page.getByRole('button', { name, exact: true }).click()
}

const pressTwiceInWindow: BrowserCommand<[id: string, name: string]> = async (_, id, name) => {
  const button = windowOf(id).page.getByRole('button', { name, exact: true })
  await button.evaluate((each: HTMLElement) => {
    each.click()
    each.click()
  })
}

const reloadWindow: BrowserCommand<[id: string]> = async (_, id) => {
  await windowOf(id).page.reload()
}

const closeWindow: BrowserCommand<[id: string]> = async (_, id) => {
  await windowOf(id).page.close()
}

const readWindow: BrowserCommand<[id: string]> = async (_, id): Promise<WindowReport> => {
  const { page, warnings } = windowOf(id)
  const seen = await page.evaluate(() => {
    let storage: string
    try {
      storage = String(localStorage)
    } catch (error) {
      storage = error instanceof DOMException ? error.name : String(error)
    }
    return {
      news: document.querySelector('.payment h2')?.textContent ?? undefined,
      isSecureContext,
      hasRandomUuid: 'randomUUID' in crypto,
      hasLocks: 'locks' in navigator,
      storage,
    }
  })
  return { ...seen, warnings }
}

export const windowCommands = {
  openWindow,
  pressInWindow,
  pressTwiceInWindow,
  reloadWindow,
  closeWindow,
  readWindow,
}

declare module 'vitest/browser' {
  interface BrowserCommands {
    openWindow(url: string, storage: WindowStorage): Promise<string>
    pressInWindow(id: string, name: string): Promise<void>
    pressTwiceInWindow(id: string, name: string): Promise<void>
    reloadWindow(id: string): Promise<void>
    closeWindow(id: string): Promise<void>
    readWindow(id: string): Promise<WindowReport>
  }
}

/** Serves pages in a sandbox where their address asks for it. Such a page has no origin: it comes as `null`. */
export function sandboxedPages(): Plugin {
  return {
    name: 'sandboxed-pages',
    configureServer(server) {
      server.middlewares.use(({ url = '', headers }, response, next) => {
        if (url.endsWith(`&${SANDBOXED}`)) response.setHeader('Content-Security-Policy', SANDBOX)
        if (headers.origin === 'null') response.setHeader('Access-Control-Allow-Origin', 'null')
        next()
      })
    },
  }
}
