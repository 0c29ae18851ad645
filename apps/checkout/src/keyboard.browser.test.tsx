import { expect, test } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { fastRetries, longWaits } from './testing/fast-retries.ts'
import { openShop } from './testing/open-shop.tsx'
import { server } from './testing/server.ts'

/** Many, since the list of orders begins with those that other tests have placed. */
const MOST_STOPS = 150

/** Presses Tab until the focus is there, and expects it to be seen. */
async function tabTo(target: Locator, key = '{Tab}') {
  await expect.element(target).toBeInTheDocument()
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await userEvent.keyboard(key)
    const focused = document.activeElement
    if (focused && focused === target.query()) return
  }
  throw new Error(`no focus on ${target.selector} within ${MOST_STOPS} stops`)
}

const link = (name: string) => page.getByRole('link', { name })
const title = page.getByRole('heading', { level: 1 })

test('the shop, its notices and the backstage work by keyboard alone', async () => {
  await openShop('/', { retry: fastRetries })
  await expect.element(page.getByText('Hanji notebook')).toBeVisible()

  // Past the header in one step.
  await tabTo(link('Skip to the page'))
  await expect.element(link('Skip to the page')).toBeInViewport()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('main')).toHaveFocus()

  await tabTo(page.getByRole('button', { name: 'Show more' }))
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('Name seal')).toBeInTheDocument()

  // A new page takes the focus to its title.
  await tabTo(link('Orders'), '{Shift>}{Tab}{/Shift}')
  await userEvent.keyboard('{Enter}')
  await expect.element(title).toHaveFocus()
  await expect.element(title).toHaveTextContent('Your orders')
  await tabTo(link('Order 1004'))
  await userEvent.keyboard('{Enter}')
  await expect.element(title).toHaveTextContent('Order 1004')
  await expect.element(title).toHaveFocus()
  await expect.element(page.getByText('Omija tea')).toBeVisible()

  // Weather by arrow keys.
  const backstage = page.getByRole('button', { name: /Backstage/ })
  await tabTo(backstage)
  await userEvent.keyboard('{Enter}')
  await expect.element(backstage).toHaveAttribute('aria-expanded', 'true')
  await expect.element(page.getByRole('radio', { name: 'Calm' })).toBeEnabled()
  await tabTo(page.getByRole('radio', { name: 'Calm' }))
  await userEvent.keyboard('{ArrowRight}')
  await expect.element(page.getByRole('radio', { name: 'Blip' })).toHaveFocus()
  await expect.element(page.getByRole('radio', { name: 'Blip' })).toBeChecked()
  await expect.element(page.getByText('Recovered').first()).toBeInTheDocument()

  await tabTo(page.getByText('As text').first())
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('failed: 503').first()).toBeVisible()
})

test('"try now" keeps the focus while the page goes on', async () => {
  await server.set('cart', { kind: 'status', status: 503, calls: 2 })
  const { phase } = await openShop('/cart', { retry: longWaits })
  await expect.poll(phase).toBe('waiting')

  const tryNow = page.getByRole('button', { name: 'Try now' })
  await tabTo(tryNow)
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => server.count('GET /cart')).toBe(2)
  await expect.poll(phase).toBe('waiting')
  await expect.element(tryNow).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('Celadon cup')).toBeVisible()
})
