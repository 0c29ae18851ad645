import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { type OpenOptions, openShop } from './open-shop.tsx'
import { provider, server } from './server.ts'

/** What a new order costs. */
const AMOUNT = 124_000

export const PAY = 'POST /payments'
export const payButton = page.getByRole('button', { name: 'Pay ₩124,000' })
export const checkAgain = page.getByRole('button', { name: 'Check again' })
export const payDifferently = page.getByRole('button', { name: 'Pay differently' })

const heading = (name: string) => page.getByRole('heading', { name })
export const paid = heading('Paid. Thank you!')
export const inDoubt = heading('We do not know yet whether this was paid')
export const declined = heading('The card was declined')
export const notSent = heading('The payment was not sent')
export const calledOff = heading('The earlier payment is called off')
export const paidBefore = heading('This order had been paid already')
export const waitingForNetwork = heading('Waiting for a connection')

/** How the requests to pay ended, by the server's own record. */
export const answers = async () => (await server.calls(PAY)).map(({ answer }) => answer)

/** Opens the page of a new order. */
export async function openOrder(options?: OpenOptions) {
  const order = await server.placeOrder()
  const shop = await openShop(`/orders/${order}`, options)
  await expect.poll(() => document.querySelector('.payment__pay')).not.toBeNull()
  return { order, ...shop }
}

/** The one thing that every story ends with. */
export async function expectOneCharge(order: string) {
  const charges = await provider.captured(order)
  expect(charges.map(({ amount }) => amount)).toEqual([AMOUNT])
}
