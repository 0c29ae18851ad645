import { describe, expect, inject, test } from 'vitest'
import { page } from 'vitest/browser'
import { fastRetries } from '../testing/fast-retries.ts'
import { openShop } from '../testing/open-shop.tsx'
import { server } from '../testing/server.ts'

const track = (operation: string) =>
  document.querySelector<HTMLElement>(`[data-query="${operation}"]`)
const proof = (operation: string) => track(operation)?.querySelector('.track__proof')?.textContent

describe('weather', () => {
  test('a blip is felt at once: two failures of each kind, then the page', async () => {
    await openShop('/', { backstage: 'open', retry: fastRetries })
    await expect.element(page.getByText('Hanji notebook')).toBeVisible()

    await page.getByRole('radio', { name: 'Blip' }).click()
    await expect
      .element(
        page.getByText('The next two calls of each kind fail with 503. Then the page comes.'),
      )
      .toBeVisible()
    await expect.poll(() => track('GET /catalogue')?.dataset.state).toBe('recovered')
    await expect.poll(() => track('GET /cart')?.dataset.state).toBe('recovered')
    await expect.poll(() => proof('GET /catalogue')).toBe('Browser sent 3, server received 3')
    await expect.poll(() => proof('GET /cart')).toBe('Browser sent 3, server received 3')
  })

  test('the timeline tells the same story as text', async () => {
    await server.set('cart', { kind: 'status', status: 503, calls: 1 })
    await openShop('/cart', { backstage: 'open', retry: fastRetries })
    await expect.poll(() => track('GET /cart')?.dataset.state).toBe('recovered')

    await page.getByText('As text').click()
    const lines = [
      ...(track('GET /cart')?.querySelectorAll('details li:not([data-server=true])') ?? []),
    ]
    expect(lines.map(line => line.textContent?.replace(/[\d.]+ s\b/g, '_ s'))).toEqual([
      '_ s call 1 sent',
      '_ s failed: 503',
      '_ s waiting _ s',
      '_ s call 2 sent',
      '_ s recovered',
    ])
    await expect
      .poll(() => track('GET /cart')?.textContent)
      .toContain('arrived at the server (503)')
  })

  test('an outage on the order page reaches its error boundary, and changed weather brings it back', async () => {
    await server.set('order', { kind: 'status', status: 503 })
    await openShop('/orders/ord_1001', { backstage: 'open', retry: fastRetries })
    await expect.element(page.getByRole('alert')).toBeVisible()
    await expect.poll(() => proof('GET /orders/ord_1001')).toBe('Browser sent 5, server received 5')

    await page.getByRole('radio', { name: 'Slow' }).click()
    await page.getByRole('radio', { name: 'Calm' }).click()
    await expect.element(page.getByText('Brass pen')).toBeVisible()
  })

  test('"start from an empty page" shows the page as a first visitor sees it', async () => {
    await openShop('/cart', { backstage: 'open' })
    await expect.element(page.getByText('Celadon cup')).toBeVisible()
    await page.getByRole('radio', { name: 'Slow' }).click()
    await page.getByRole('button', { name: 'Start from an empty page' }).click()
    await expect.element(page.getByText('Loading your cart')).toBeInTheDocument()
    await page.getByRole('radio', { name: 'Calm' }).click()
    await expect.element(page.getByText('Celadon cup')).toBeVisible()
  })

  test('arrow keys through the dial leave the last weather, on the server too', async () => {
    await openShop('/cart', { backstage: 'open', retry: fastRetries })
    for (const name of ['Blip', 'Rate-limited', 'Slow', 'Outage']) {
      await page.getByRole('radio', { name, exact: true }).click()
    }
    const set = () =>
      fetch(`${inject('apiUrl')}/faults`)
        .then(response => response.json())
        .then(({ faults }) => faults.cart)
    await expect.poll(set).toEqual({ kind: 'status', status: 503 })
    await expect.element(page.getByRole('radio', { name: 'Outage', exact: true })).toBeChecked()
  })
})

describe('a backstage that cannot work says so', () => {
  test('when the server has no fault switches', async () => {
    await openShop('/', { backstage: 'open', apiUrl: inject('plainApiUrl') })
    await expect.element(page.getByText('Start it with FAULTS=1')).toBeVisible()
    await expect.element(page.getByRole('radio', { name: 'Calm' })).toBeDisabled()
    await expect.element(page.getByText('Hanji notebook')).toBeVisible()
    await expect.poll(() => proof('GET /catalogue')).toBe('Browser sent 1, server not telling')
  })

  test('when no server answers', async () => {
    // Port 9 discards everything; browsers refuse to call it at all.
    await openShop('/', { backstage: 'open', apiUrl: 'http://127.0.0.1:9' })
    await expect.element(page.getByText('No server answers at http://127.0.0.1:9.')).toBeVisible()
  })
})
