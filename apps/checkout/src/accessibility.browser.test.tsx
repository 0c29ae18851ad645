import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { violations } from './testing/axe.ts'
import { setColours } from './testing/browser.ts'
import { fastRetries, longWaits } from './testing/fast-retries.ts'
import { openShop } from './testing/open-shop.tsx'
import { server } from './testing/server.ts'

const ROUTES = ['catalogue', 'cart', 'orders', 'order'] as const
const PAGES = ['/', '/cart', '/orders', '/orders/ord_1004', '/orders/ord_0', '/nowhere']
const outage = { kind: 'status', status: 503 } as const

const settled = () => expect.poll(() => document.querySelector('main .loading')).toBeNull()

describe.each(['light', 'dark'] as const)('in %s colours', scheme => {
  describe.each(['en', 'ko'] as const)('in %s', language => {
    test.each(PAGES)('axe finds nothing on %s, with the backstage open', async path => {
      await setColours(scheme)
      await openShop(path, { language, backstage: 'open' })
      await settled()
      expect(await violations()).toEqual([])
    })

    test('axe finds nothing while a payment is chosen, in doubt, and done', async () => {
      await setColours(scheme)
      const order = await server.placeOrder()
      await openShop(`/orders/${order}`, { language, backstage: 'open' })
      await settled()
      const phase = () => document.querySelector<HTMLElement>('.payment')?.dataset.phase
      const press = () => document.querySelector<HTMLElement>('.payment button')?.click()
      const violationsIn = async (expected: string) => {
        await expect.poll(phase).toBe(expected)
        // The panel has seen it, too.
        await expect.poll(() => document.querySelector('.trouble:enabled')).not.toBeNull()
        return violations()
      }
      expect(await violationsIn('choose')).toEqual([])
      await server.set('pay', { kind: 'lost-answer', calls: 2 })
      press()
      expect(await violationsIn('unknown')).toEqual([])
      await page.viewport(390, 844)
      expect(await violationsIn('unknown')).toEqual([])
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
      press()
      await expect.poll(phase).toBe('paid')
      await expect.poll(() => document.querySelector('[data-verdict="once"]')).not.toBeNull()
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
