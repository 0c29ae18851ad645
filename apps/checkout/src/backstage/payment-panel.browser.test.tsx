import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { server } from '../testing/server.ts'
import {
  checkAgain,
  expectOneCharge,
  inDoubt,
  openOrder,
  paid,
  payButton,
} from '../testing/till.ts'

const count = () => document.querySelector('.charge-count__number')?.textContent
/** What the panel says of each request, and which of them it shows in one colour. */
const requests = () =>
  [...document.querySelectorAll<HTMLElement>('.requests li')].map(line => {
    const [, what, answer] = [...line.children].map(({ textContent }) => textContent)
    return `${line.dataset.tone} ${what}: ${answer}`
  })
const trouble = (name: string) => page.getByRole('radio', { name })

test('an answer lost after the charge: two requests in one colour, and one charge', async () => {
  const { order } = await openOrder({ backstage: 'open' })
  await expect.poll(count).toBe('0')
  await expect.element(trouble('Goes well')).toBeEnabled()
  await trouble('Answer lost after the charge').click()
  await expect.element(trouble('Answer lost after the charge')).toBeChecked()
  await payButton.click()

  await expect.element(paid).toBeVisible()
  await expect.poll(count).toBe('1')
  expect(requests()).toEqual([
    '0 pay, attempt 1: no answer came',
    '0 pay, attempt 2: 201, as before',
  ])
  await expectOneCharge(order)
})

test('a provider that loses its answer: in doubt, asked about, paid', async () => {
  const { order } = await openOrder({ backstage: 'open' })
  await expect.element(trouble('Goes well')).toBeEnabled()
  await trouble('Provider loses its answer').click()
  await payButton.click()

  await expect.element(inDoubt).toBeVisible()
  // The money is gone already; only the shop does not know.
  await expect.poll(count).toBe('1')
  // The server may be about to ask the provider itself: then it is still being found out.
  const askAgain = async () => {
    if (checkAgain.elements().length > 0) await checkAgain.click()
    return paid.elements().length
  }
  await expect.poll(askAgain, { interval: 500, timeout: 20_000 }).toBe(1)
  expect(requests()[1]).toMatch(/^0 look-up: 200$/)
  await expectOneCharge(order)
})

test('a decline and another payment: two colours, and what was declined does not count', async () => {
  const { order } = await openOrder({ backstage: 'open' })
  await expect.element(trouble('Goes well')).toBeEnabled()
  await trouble('Declined by the bank').click()
  await payButton.click()
  await expect.element(page.getByRole('heading', { name: 'The card was declined' })).toBeVisible()
  await expect.poll(() => document.querySelectorAll('.ledger li').length).toBe(1)
  expect(count()).toBe('0')
  // Used up: the next one is left alone.
  await expect.element(trouble('Goes well')).toBeChecked()

  await payButton.click()
  await expect.element(paid).toBeVisible()
  await expect.poll(count).toBe('1')
  expect(requests()).toEqual(['0 pay, attempt 1: 402', '1 pay, attempt 1: 201'])
  await expectOneCharge(order)
})

test('other weather leaves what the next payment meets, and the payment itself, alone', async () => {
  const { order } = await openOrder({ backstage: 'open' })
  await expect.element(trouble('Goes well')).toBeEnabled()
  await trouble('Lost before it arrives').click()
  await page.getByRole('radio', { name: 'Outage', exact: true }).click()
  await expect
    .poll(() => document.querySelector('.backstage')?.textContent)
    .toContain('Every page fails with 503')
  await expect.poll(() => server.count(`GET /orders/${order}`)).toBeGreaterThan(1)
  await payButton.click()

  await expect.element(paid).toBeVisible()
  expect(requests()).toEqual(['0 pay, attempt 1: no answer came', '0 pay, attempt 2: 201'])
  await expectOneCharge(order)
})

test('nothing of an order that was paid before the demo began', async () => {
  await openOrder({ backstage: 'open' })
  await expect.element(page.getByText('Charges for this order')).toBeVisible()
  await page.getByRole('link', { name: 'All orders' }).click()
  await page.getByRole('link', { name: 'Order 1001' }).click()
  await expect.element(page.getByText('Brass pen')).toBeVisible()
  expect(page.getByText('Charges for this order').elements()).toEqual([])
})

test('a panel longer than the screen scrolls by itself, and leaves the page as long as it is', async () => {
  await page.viewport(1280, 500)
  await openOrder({ backstage: 'open' })
  await expect.element(page.getByText('As text').first()).toBeInTheDocument()
  const layout = document.querySelector('.layout')?.getBoundingClientRect()
  expect(document.documentElement.scrollHeight).toBeLessThanOrEqual(
    Math.ceil((layout?.bottom ?? 0) + scrollY),
  )
})
