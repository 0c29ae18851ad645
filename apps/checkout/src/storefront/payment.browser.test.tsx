import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { openShop } from '../testing/open-shop.tsx'
import { provider, server } from '../testing/server.ts'

const PAY = 'POST /payments'
const payButton = page.getByRole('button', { name: 'Pay ₩124,000' })
const checkAgain = page.getByRole('button', { name: 'Check again' })
const heading = (name: string) => page.getByRole('heading', { name })
const answers = async () => (await server.calls(PAY)).map(({ answer }) => answer)

/** The one thing that every story here ends with. */
async function expectOneCharge(order: string) {
  const charges = await provider.captured(order)
  expect(charges.map(({ amount }) => amount)).toEqual([124_000])
}

async function openOrder() {
  const order = await server.placeOrder()
  const shop = await openShop(`/orders/${order}`)
  await expect.element(payButton).toBeVisible()
  return { order, ...shop }
}

describe('paying an order', () => {
  test('one request, one charge, a receipt, and the order is paid', async () => {
    const { order } = await openOrder()
    await payButton.click()

    await expect.element(heading('Paid. Thank you!')).toHaveFocus()
    const receipt = page.getByLabelText('Receipt')
    await expect.element(receipt).toHaveTextContent('₩124,000')
    await expect.element(receipt).toHaveTextContent(/pay_[0-9a-f]{24}/)
    await expect.element(page.getByText('Paid', { exact: true }).first()).toBeVisible()
    await expect.poll(() => document.querySelector('.order-status--paid')).not.toBeNull()
    expect(await answers()).toEqual([201])
    await expectOneCharge(order)
  })

  test('an answer lost after the charge is asked for again under the same key', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'lost-answer', calls: 1 })
    await payButton.click()

    await expect.element(heading('Paid. Thank you!')).toBeVisible()
    // The second was answered from what the first has done.
    expect(await answers()).toEqual(['lost', 201])
    await expectOneCharge(order)
  })

  test('a connection that dies before the server hears of it is tried again', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'close', calls: 1 })
    await payButton.click()

    await expect.element(heading('Paid. Thank you!')).toBeVisible()
    expect(await answers()).toEqual(['closed', 201])
    await expectOneCharge(order)
  })

  test('a provider that loses its answer leaves a doubt, which "check again" ends', async () => {
    const { order } = await openOrder()
    await provider.setFaults([{ kind: 'lost-after', reference: order, calls: 1 }])
    await payButton.click()

    await expect.element(heading('We do not know yet whether this was paid')).toBeVisible()
    expect(page.getByRole('button', { name: /^Pay ₩|pay again/i }).elements()).toEqual([])
    await expect.poll(() => document.querySelector('.payment__number code')).not.toBeNull()
    await checkAgain.click()
    await expect.element(heading('Paid. Thank you!')).toBeVisible()
    await expectOneCharge(order)
  })

  test('two lost requests leave a doubt; "check again" sends the same payment once more', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'close', calls: 2 })
    await payButton.click()

    await expect.element(heading('We do not know yet whether this was paid')).toBeVisible()
    await checkAgain.click()
    await expect.element(heading('Paid. Thank you!')).toBeVisible()
    expect(await answers()).toEqual(['closed', 'closed', 201])
    await expectOneCharge(order)
  })

  test('a double click pays once', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'slow', delayMs: 400 })
    await payButton.dblClick()

    await expect.element(heading('Paid. Thank you!')).toBeVisible()
    expect(await answers()).toEqual([201])
    await expectOneCharge(order)
  })

  test('Enter and a click in one frame pay once', async () => {
    const { order } = await openOrder()
    await expect.element(payButton).toBeVisible()
    const button = payButton.element() as HTMLButtonElement
    button.form?.requestSubmit()
    button.click()

    await expect.element(heading('Paid. Thank you!')).toBeVisible()
    expect(await answers()).toEqual([201])
    await expectOneCharge(order)
  })

  test('by keyboard alone: arrows choose the card, Enter pays', async () => {
    const { order } = await openOrder()
    await page.getByRole('radio', { name: 'Card that works' }).click()
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(page.getByRole('radio', { name: 'Card that is declined' })).toBeChecked()
    await userEvent.keyboard('{ArrowLeft}{Enter}')

    await expect.element(heading('Paid. Thank you!')).toHaveFocus()
    await expectOneCharge(order)
  })

  test('after a decline another card pays, under a key of its own', async () => {
    const { order } = await openOrder()
    await page.getByRole('radio', { name: 'Card that is declined' }).click()
    await payButton.click()
    await expect.element(heading('The card was declined')).toBeVisible()
    expect(await provider.captured(order)).toEqual([])

    await page.getByRole('radio', { name: 'Card that works' }).click()
    await payButton.click()
    await expect.element(heading('Paid. Thank you!')).toBeVisible()
    expect(await answers()).toEqual([402, 201])
    await expectOneCharge(order)
  })

  test('"pay differently" burns the first key, so that only the other card is charged', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'close', calls: 2 })
    await payButton.click()
    await expect.element(heading('We do not know yet whether this was paid')).toBeVisible()

    await page.getByRole('button', { name: 'Pay differently' }).click()
    await expect.element(heading('The earlier payment is called off')).toBeVisible()
    await payButton.click()
    await expect.element(heading('Paid. Thank you!')).toBeVisible()
    expect(await server.count('POST /payments/by-key/:key/fence')).toBe(1)
    await expectOneCharge(order)
  })

  test('"pay differently" shows the receipt where the money has been taken after all', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'lost-answer', calls: 2 })
    await payButton.click()
    await expect.element(heading('We do not know yet whether this was paid')).toBeVisible()

    await page.getByRole('button', { name: 'Pay differently' }).click()
    await expect.element(heading('Paid. Thank you!')).toBeVisible()
    await expectOneCharge(order)
  })

  test('paid from another device meanwhile: said, and not charged again', async () => {
    const { order } = await openOrder()
    await server.payElsewhere(order)
    await payButton.click()

    await expect.element(heading('This order had been paid already')).toBeVisible()
    expect(await answers()).toEqual([201, 409])
    await expectOneCharge(order)
  })

  test('site data cleared while in doubt, then paid again: the server knows the order', async () => {
    const { order, screen } = await openOrder()
    await provider.setFaults([{ kind: 'lost-after', reference: order, calls: 1 }])
    await payButton.click()
    await expect.element(heading('We do not know yet whether this was paid')).toBeVisible()
    await screen.unmount()
    localStorage.clear()
    sessionStorage.clear()

    await openShop(`/orders/${order}`)
    await expect.poll(() => document.querySelector('.order-status')).not.toBeNull()
    // Too late for a second payment where the server has settled the first by then.
    if (payButton.query()) await payButton.click()
    await expect.poll(() => document.querySelector('.order-status--paid')).not.toBeNull()
    await expectOneCharge(order)
  })

  test('a login that has ended meanwhile: the same visitor logs in again, and pays once', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'status', status: 401, calls: 1 })
    await payButton.click()

    await expect.element(heading('Paid. Thank you!')).toBeVisible()
    expect(await answers()).toEqual([401, 201])
    await expectOneCharge(order)
  })
})
