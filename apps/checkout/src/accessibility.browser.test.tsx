import axe from 'axe-core'
import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { setColours } from './testing/browser.ts'
import { fastRetries, longWaits } from './testing/fast-retries.ts'
import { openShop } from './testing/open-shop.tsx'
import { server } from './testing/server.ts'

const ROUTES = ['catalogue', 'cart', 'orders', 'order'] as const
const PAGES = ['/', '/cart', '/orders', '/orders/ord_1004', '/orders/ord_0', '/nowhere']
const outage = { kind: 'status', status: 503 } as const

/** What axe finds wrong, one line each. */
async function violations(): Promise<string[]> {
  const { violations } = await axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  })
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.target.join(' ')} ${node.failureSummary}`),
  )
}

const settled = () => expect.poll(() => document.querySelector('main .loading')).toBeNull()

describe.each(['light', 'dark'] as const)('in %s colours', scheme => {
  describe.each(['en', 'ko'] as const)('in %s', language => {
    test.each(PAGES)('axe finds nothing on %s, with the backstage open', async path => {
      await setColours(scheme)
      await openShop(path, { language, backstage: 'open' })
      await settled()
      expect(await violations()).toEqual([])
    })

    test('axe finds nothing on a phone, while a page waits and after it stopped', async () => {
      await setColours(scheme)
      await page.viewport(360, 740)
      await Promise.all(ROUTES.map(route => server.set(route, outage)))
      const waiting = await openShop('/', { language, retry: longWaits, backstage: 'open' })
      await expect.poll(waiting.phase).toBe('waiting')
      expect(await violations()).toEqual([])
      await waiting.screen.unmount()

      const stopped = await openShop('/cart', { language, retry: fastRetries })
      await expect.poll(stopped.phase).toBe('stopped')
      expect(await violations()).toEqual([])
      await stopped.screen.unmount()

      await openShop('/orders/ord_1004', { language, retry: fastRetries })
      await expect.element(page.getByRole('alert')).toBeVisible()
      expect(await violations()).toEqual([])
    })
  })
})

test('every control is at least 44 px high on a phone, and nothing is wider than the screen', async () => {
  await page.viewport(360, 740)
  await server.set('catalogue', outage)
  const { phase } = await openShop('/', { retry: longWaits, backstage: 'open' })
  await expect.poll(phase).toBe('waiting')
  await expect.element(page.getByText('As text').first()).toBeInTheDocument()

  const small = [...document.querySelectorAll('button, nav a, label, summary')]
    .filter(control => control.getBoundingClientRect().height < 44)
    .map(control => control.outerHTML)
  expect(small).toEqual([])
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(360)
})
