/**
 * Tabs of one browser, as far as a journal sees them: one `localStorage` with a quota, one lock
 * manager, and a `storage` event in every tab but the one that wrote.
 */
export function browserTabs({ quota = Infinity }: { quota?: number } = {}) {
  const items = new Map<string, string>()
  const queues = new Map<string, Promise<unknown>>()
  const tabs = new Set<EventTarget>()
  const browser = { quota, isClosed: false, items }

  const locks = {
    request: (name: string, work: () => unknown) => {
      const turn = (queues.get(name) ?? Promise.resolve()).then(async () => {
        // Another process grants the lock: never within the task that asked.
        await new Promise(resolve => setTimeout(resolve))
        return work()
      })
      queues.set(
        name,
        turn.catch(() => {}),
      )
      return turn
    },
  }

  function openTab() {
    const tab = new EventTarget()
    tabs.add(tab)
    const announce = (key: string | null) => {
      for (const other of tabs) {
        if (other !== tab) other.dispatchEvent(Object.assign(new Event('storage'), { key }))
      }
    }
    const storage = {
      getItem: (name: string) => items.get(name) ?? null,
      setItem(name: string, text: string) {
        if (browser.isClosed) throw new DOMException('closed', 'SecurityError')
        const others = [...items].filter(([other]) => other !== name)
        const used = others.reduce((sum, [, { length }]) => sum + length, 0)
        if (used + text.length > browser.quota) throw new DOMException('full', 'QuotaExceededError')
        items.set(name, text)
        announce(name)
      },
      removeItem(name: string) {
        items.delete(name)
        announce(name)
      },
      clear() {
        items.clear()
        announce(null)
      },
    }
    // `Object.keys(localStorage)` are the names of its items.
    const localStorage = new Proxy(storage, {
      ownKeys: () => [...items.keys()],
      getOwnPropertyDescriptor: (_, name) => ({
        value: items.get(String(name)),
        enumerable: true,
        configurable: true,
      }),
    }) as unknown as Storage
    let close = () => {}
    const closed = new Promise<void>(resolve => {
      close = resolve
    })
    const request = (name: string, work: () => unknown) =>
      locks.request(name, () => Promise.race([work(), closed]))
    /** The locks of a tab that is gone are free. */
    return Object.assign(tab, { localStorage, navigator: { locks: { request } }, close })
  }

  return Object.assign(browser, { openTab, locks })
}
