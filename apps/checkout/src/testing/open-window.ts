import { inject, onTestFinished } from 'vitest'
import { commands } from 'vitest/browser'
import { PLAIN_HOST, type WindowStorage } from './window-commands.ts'

export interface WindowOptions {
  /** Served from an address that is no secure context, as any shop without https is. */
  isPlainHttp?: boolean
  /** Default `allowed`. */
  storage?: WindowStorage
}

/**
 * Opens a page of the shop in a window as of another private mode: it shares nothing with the runner's
 * page, and what it is denied it is denied before its first script runs.
 */
export async function openWindow(path: string, options: WindowOptions = {}) {
  const { isPlainHttp = false, storage = 'allowed' } = options
  const query = new URLSearchParams({
    api: inject('apiUrl'),
    provider: inject('providerUrl'),
    path,
  })
  const origin = isPlainHttp ? `http://${PLAIN_HOST}:${location.port}` : location.origin
  const id = await commands.openWindow(`${origin}/src/testing/tab.html?${query}`, storage)
  onTestFinished(() => commands.closeWindow(id))
  const read = () => commands.readWindow(id)

  return {
    read,
    news: async () => (await read()).news,
    press: (button: string) => commands.pressInWindow(id, button),
    /** Twice in one frame: before the page can have taken the button away. */
    doublePress: (button: string) => commands.pressTwiceInWindow(id, button),
    reload: () => commands.reloadWindow(id),
  }
}
