import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { openShop } from '../testing/open-shop.tsx'
import { openTab } from '../testing/open-tab.ts'
import { provider, server } from '../testing/server.ts'

const PLACE = 'POST /orders'
const title = page.getByRole('heading', { level: 1 })
const place = page.getByRole('button', { name: 'Place order' })

/** The id of the order whose page this is, once it is there. */
async function openedOrder(): Promise<string> {
  await expect.element(page.getByRole('button', { name: 'Pay ₩124,000' })).toBeVisible()
  return `ord_${title.element().textContent?.replace('Order ', '')}`
}

describe('placing an order', () => {
  test('a double click places one order and leads to it', async () => {
    await server.set('place-order', { kind: 'slow', delayMs: 400 })
    await openShop('/cart')
    await place.dblClick()

    await openedOrder()
    expect(await server.count(PLACE)).toBe(1)
  })

  test('an answer that is lost is asked for again: the same order', async () => {
    await server.set('place-order', { kind: 'lost-answer', calls: 1 })
    await openShop('/cart')
    await place.click()

    const order = await openedOrder()
    expect((await server.calls(PLACE)).map(({ answer }) => answer)).toEqual(['lost', 201])
    await page.getByRole('link', { name: 'All orders' }).click()
    const newest = page.getByRole('link', { name: /^Order / }).first()
    await expect.element(newest).toHaveAttribute('href', `/orders/${order}`)
  })

  test('a doubt says so, and "check again" finds the order that was placed', async () => {
    await server.set('place-order', { kind: 'lost-answer', calls: 2 })
    await openShop('/cart')
    await place.click()

    await expect
      .element(page.getByText('We do not know yet whether your order was placed.'))
      .toBeVisible()
    await page.getByRole('button', { name: 'Check again' }).click()
    await openedOrder()
  })

  test('reloaded in flight, "check again" finds the order that was placed', async () => {
    await server.set('place-order', { kind: 'lost-answer', calls: 2 })
    const tab = await openTab('/cart')
    const button = await tab.button('Place order')
    button.click()
    await expect.poll(() => server.count(PLACE)).toBeGreaterThan(0)
    await server.clear()
    await tab.reload()

    const checkAgain = await tab.button('Check again')
    checkAgain.click()
    // The page that is gone counts as busy for a while.
    await expect.poll(() => tab.findButton('Pay ₩124,000'), { timeout: 40_000 }).toBeTruthy()
    expect(await server.count('GET /orders')).toBe(0)
  }, 60_000)

  test('two deliberate purchases in a row are two orders, two keys and two charges', async () => {
    await openShop('/cart')
    await place.click()
    const first = await openedOrder()
    await page.getByRole('button', { name: 'Pay ₩124,000' }).click()
    await expect.element(page.getByText('Paid. Thank you!')).toBeVisible()

    await page.getByRole('link', { name: /^Cart/ }).click()
    await expect.element(page.getByText('Your order has been placed.')).toBeVisible()
    await page.getByRole('button', { name: 'Place another order' }).click()
    await expect.element(title).not.toHaveTextContent(first.replace('ord_', ''))
    const second = await openedOrder()
    await page.getByRole('button', { name: 'Pay ₩124,000' }).click()
    await expect.element(page.getByText('Paid. Thank you!')).toBeVisible()

    expect(second).not.toBe(first)
    expect(await server.count(PLACE)).toBe(2)
    expect(await provider.captured(first)).toHaveLength(1)
    expect(await provider.captured(second)).toHaveLength(1)
  })
})
