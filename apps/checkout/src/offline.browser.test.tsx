import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { setNetwork } from './testing/browser.ts'
import { fastRetries } from './testing/fast-retries.ts'
import { openShop } from './testing/open-shop.tsx'
import { server } from './testing/server.ts'

const ORDERS = 'GET /orders'

describe('unplugged', () => {
  test('by the panel: the page pauses, asks nothing, and goes on when plugged in', async () => {
    const { notice, phase } = await openShop('/orders', { backstage: 'open' })
    await expect.element(page.getByText('Order 1004')).toBeVisible()

    await page.getByRole('radio', { name: 'Unplugged' }).click()
    await expect.poll(phase).toBe('paused')
    await expect.element(notice).toHaveTextContent('You are offline.')
    await expect.element(page.getByText('Order 1004')).toBeVisible()
    expect(await server.count(ORDERS)).toBe(1)

    await page.getByRole('radio', { name: 'Calm' }).click()
    await expect.poll(phase).toBe('idle')
    // Within the half second over which what was paused comes back.
    await expect.poll(() => server.count(ORDERS)).toBe(2)
  })

  test('for real: a cut network pauses the page, and the cable brings it on', async () => {
    const { shop, notice, phase } = await openShop('/orders', { retry: fastRetries })
    await expect.element(page.getByText('Order 1004')).toBeVisible()

    await setNetwork('cut')
    await expect.poll(() => navigator.onLine).toBe(false)
    void shop.queryClient.refetchQueries({ queryKey: ['orders'] })
    await expect.poll(phase).toBe('paused')
    await expect.element(notice).toHaveTextContent('You are offline.')

    await setNetwork('connected')
    await expect.poll(phase).toBe('idle')
    // Within the half second over which what was paused comes back.
    await expect.poll(() => server.count(ORDERS)).toBe(2)
  })

  test('a first visit without network waits for it, and needs no reload', async () => {
    await setNetwork('cut')
    await expect.poll(() => navigator.onLine).toBe(false)
    const { phase } = await openShop('/orders')
    await expect.poll(phase).toBe('paused')

    await setNetwork('connected')
    await expect.element(page.getByText('Order 1004')).toBeVisible()
    expect(await server.count(ORDERS)).toBe(1)
  })
})
