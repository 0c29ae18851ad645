import type { RetryPresetOptions } from '@query-retry/react'
import { MemoryRouter } from 'react-router'
import { inject, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { App } from '../app.tsx'
import type { Language } from '../language/language.tsx'
import { remember } from '../remembered.ts'
import { createShop } from '../shop.ts'

export interface OpenOptions {
  language?: Language
  /** Settings of the preset, where a test is not about the shipped ones. */
  retry?: RetryPresetOptions
  backstage?: 'open' | 'folded'
  apiUrl?: string
  paymentLimitMs?: number
}

/** Opens a page of the shop as a first visitor sees it, with a client of its own. */
export async function openShop(path: string, options: OpenOptions = {}) {
  const { language = 'en', backstage = 'folded', retry, apiUrl = inject('apiUrl') } = options
  remember('backstage', backstage)
  const shop = createShop({
    apiUrl,
    providerUrl: inject('providerUrl'),
    paymentLimitMs: options.paymentLimitMs,
    ...(retry && { retry }),
  })
  const screen = await render(
    <MemoryRouter initialEntries={[path]}>
      <App shop={shop} language={language} />
    </MemoryRouter>,
  )
  onTestFinished(() => {
    shop.crowd.leave()
    shop.queryClient.clear()
  })
  return {
    shop,
    screen,
    /** The notice of the page. */
    notice: page.getByRole('main').getByRole('status'),
    phase: () => document.querySelector<HTMLElement>('main [data-query-retry]')?.dataset.phase,
  }
}
