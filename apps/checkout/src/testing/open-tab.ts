import { expect, inject, onTestFinished } from 'vitest'

/**
 * Opens a page of the shop in a frame: a document with timers, modules and memory of its own, which shares
 * storage and locks with the others as tabs do. What it was doing ends when it is reloaded or closed.
 *
 * @param speed - so many times shorter is every wait of that page, where a test is not about its length
 */
export async function openTab(path: string, speed = 1) {
  const frame = document.createElement('iframe')
  const query = new URLSearchParams({
    api: inject('apiUrl'),
    provider: inject('providerUrl'),
    path,
    speed: `${speed}`,
  })
  frame.src = `/src/testing/tab.html?${query}`
  frame.width = '800'
  frame.height = '700'
  document.body.append(frame)
  onTestFinished(() => frame.remove())
  const buttons = () => [...(frame.contentDocument?.querySelectorAll('button') ?? [])]
  const findButton = (name: string) => buttons().find(({ textContent }) => textContent === name)

  return {
    findButton,
    /** The title of what the page says about the payment. */
    news: () => frame.contentDocument?.querySelector('.payment h2')?.textContent,
    async button(name: string): Promise<HTMLButtonElement> {
      await expect.poll(() => findButton(name)).toBeTruthy()
      return findButton(name) as HTMLButtonElement
    },
    async reload(): Promise<void> {
      const loaded = new Promise(resolve => frame.addEventListener('load', resolve, { once: true }))
      frame.contentWindow?.location.reload()
      await loaded
    },
    /** As when another tab comes before it, or the person comes back: TanStack pauses what is hidden. */
    turn(visibilityState: 'hidden' | 'visible'): void {
      Object.defineProperty(frame.contentDocument, 'visibilityState', {
        value: visibilityState,
        configurable: true,
      })
      frame.contentWindow?.dispatchEvent(new Event('visibilitychange'))
    },
    close: () => frame.remove(),
  }
}
