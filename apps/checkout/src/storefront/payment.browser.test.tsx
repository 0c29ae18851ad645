import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { provider, server } from '../testing/server.ts'
import {
  answers,
  calledOff,
  declined,
  expectOneCharge,
  inDoubt,
  openOrder,
  paid,
  paidBefore,
  payButton,
  payDifferently,
} from '../testing/till.ts'

describe('paying an order', () => {
  test('one request, one charge, a receipt, and the order is paid', async () => {
    const { order } = await openOrder()
    await payButton.click()

    await expect.element(paid).toHaveFocus()
    const receipt = page.getByLabelText('Receipt')
    await expect.element(receipt).toHaveTextContent('₩124,000')
    await expect.element(receipt).toHaveTextContent(/pay_[0-9a-f]{24}/)
    await expect.element(page.getByText('Paid', { exact: true }).first()).toBeVisible()
    await expect.poll(() => document.querySelector('.order-status--paid')).not.toBeNull()
    expect(await answers()).toEqual([201])
    await expectOneCharge(order)
  })

  test('a double click pays once', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'slow', delayMs: 400 })
    await payButton.dblClick()

    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual([201])
    await expectOneCharge(order)
  })

  test('Enter and a click in one frame pay once', async () => {
    const { order } = await openOrder()
    await expect.element(payButton).toBeVisible()
    const button = payButton.element() as HTMLButtonElement
    button.form?.requestSubmit()
    button.click()

    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual([201])
    await expectOneCharge(order)
  })

  test('by keyboard alone: arrows choose the card, Enter pays', async () => {
    const { order } = await openOrder()
    await page.getByRole('radio', { name: 'Card that works' }).click()
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(page.getByRole('radio', { name: 'Card that is declined' })).toBeChecked()
    await userEvent.keyboard('{ArrowLeft}{Enter}')

    await expect.element(paid).toHaveFocus()
    await expectOneCharge(order)
  })

  test('after a decline another card pays, under a key of its own', async () => {
    const { order } = await openOrder()
    await page.getByRole('radio', { name: 'Card that is declined' }).click()
    await payButton.click()
    await expect.element(declined).toBeVisible()
    expect(await provider.captured(order)).toEqual([])

    await page.getByRole('radio', { name: 'Card that works' }).click()
    await payButton.click()
    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual([402, 201])
    await expectOneCharge(order)
  })

  test('after a decline, what the next click asks for is under way at once, not the old refusal', async () => {
    const { order } = await openOrder()
    await page.getByRole('radio', { name: 'Card that is declined' }).click()
    await payButton.click()
    await expect.element(declined).toBeVisible()

    // Another tab keeps the record's lock for a while: nothing can be written down.
    const record = JSON.stringify(['mina', '["pay"]', 'order', order])
    let release = () => {}
    const busy = new Promise<void>(resolve => {
      release = resolve
    })
    await new Promise<void>(held => {
      void navigator.locks.request(`query-retry.intent:${record}`, () => {
        held()
        return busy
      })
    })
    await page.getByRole('radio', { name: 'Card that works' }).click()
    await payButton.click()
    await expect.element(declined).not.toBeInTheDocument()
    release()
    await expect.element(paid).toBeVisible()
    await expectOneCharge(order)
  })

  test('"pay differently" burns the first key, so that only the other card is charged', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'close', calls: 2 })
    await payButton.click()
    await expect.element(inDoubt).toBeVisible()

    await payDifferently.click()
    await expect.element(calledOff).toBeVisible()
    await payButton.click()
    await expect.element(paid).toBeVisible()
    expect(await server.count('POST /payments/by-key/:key/fence')).toBe(1)
    await expectOneCharge(order)
  })

  test('"pay differently" shows the receipt where the money has been taken after all', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'lost-answer', calls: 2 })
    await payButton.click()
    await expect.element(inDoubt).toBeVisible()

    await payDifferently.click()
    await expect.element(paid).toBeVisible()
    await expectOneCharge(order)
  })

  test('"pay differently" too late to call it off: what became of it follows by itself', async () => {
    const { order } = await openOrder()
    await provider.setFaults([{ kind: 'lost-after', reference: order, calls: 1 }])
    await payButton.click()
    await expect.element(inDoubt).toBeVisible()

    await payDifferently.click()
    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual([503])
    await expectOneCharge(order)
  })

  test('paid while the order cannot be read again: no "awaiting payment" beside the receipt', async () => {
    const { order } = await openOrder()
    await server.set('order', { kind: 'status', status: 503 })
    await payButton.click()

    await expect.element(paid).toBeVisible()
    await expect.poll(() => document.querySelector('.order-status--paid')).not.toBeNull()
    expect(document.querySelector('.order-status--open')).toBeNull()
    await expectOneCharge(order)
  })

  test('paid from another device meanwhile: said, and not charged again', async () => {
    const { order } = await openOrder()
    await server.payElsewhere(order)
    await payButton.click()

    await expect.element(paidBefore).toBeVisible()
    expect(await answers()).toEqual([201, 409])
    await expectOneCharge(order)
  })
})
