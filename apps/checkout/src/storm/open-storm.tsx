import { MemoryRouter, useLocation, useNavigate } from 'react-router'
import { expect, inject, onTestFinished } from 'vitest'
import { render } from 'vitest-browser-react'
import { App } from '../app.tsx'
import type { Language } from '../language/language.tsx'
import { remember } from '../remembered.ts'
import { createShop } from '../shop.ts'

/** What of a browser stands around the page. */
interface Browser {
  address: string
  goBack(): void
}

function BrowserBar({ browser }: { browser: Browser }) {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  browser.address = pathname + search
  browser.goBack = () => navigate(-1)
  return null
}

/** Opens the page by a link to it. */
export async function openStorm(search = '', language: Language = 'en') {
  remember('backstage', 'folded')
  const shop = createShop({ apiUrl: inject('apiUrl'), providerUrl: inject('providerUrl') })
  onTestFinished(() => shop.queryClient.clear())
  const browser: Browser = { address: '', goBack: () => {} }
  const screen = await render(
    <MemoryRouter initialEntries={[`/storm${search}`]}>
      <App shop={shop} language={language} />
      <BrowserBar browser={browser} />
    </MemoryRouter>,
  )
  return { screen, browser }
}

/** What the page shows of its first or second policy. */
export function side(index: 0 | 1) {
  const part = (selector: string) =>
    document.querySelectorAll('.policy-side')[index]?.querySelector(selector)
  return {
    figure: (name: string) => part(`[data-figure="${name}"] strong`)?.textContent,
    details: (name: string) =>
      [...(part(`[data-figure="${name}"]`)?.querySelectorAll('dd span') ?? [])].map(
        detail => detail.textContent,
      ),
    curve: () => part('.herd-plot__retries')?.getAttribute('d'),
    scale: () =>
      part('.herd-plot__box')?.textContent?.replace(
        part('.herd-plot__peak')?.textContent ?? '',
        '',
      ),
    times: () => part('.herd-plot__times')?.textContent,
    box: () => part('.herd-plot__box')?.getBoundingClientRect() as DOMRect,
  }
}

export const isBusy = () => document.querySelector('.storm')?.getAttribute('aria-busy')

/** What is asked for is simulated and shown. */
export async function settled(): Promise<void> {
  await expect.poll(isBusy, { timeout: 25_000 }).toBe('false')
}
