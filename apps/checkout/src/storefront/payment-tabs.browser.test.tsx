import { describe, expect, test } from 'vitest'
import { openTab } from '../testing/open-tab.ts'
import { provider, server } from '../testing/server.ts'

const PAY = 'POST /payments'
const PAY_BUTTON = 'Pay ₩124,000'
const PAID = 'Paid. Thank you!'

async function expectOneCharge(order: string) {
  expect(await provider.captured(order)).toHaveLength(1)
}

describe('a page that goes away while it pays', () => {
  test('reloaded in flight, it finds out what became of the payment', async () => {
    const order = await server.placeOrder()
    await provider.setFaults([{ kind: 'slow', delayMs: 1_500, reference: order, calls: 1 }])
    const tab = await openTab(`/orders/${order}`)
    const payButton = await tab.button(PAY_BUTTON)
    payButton.click()
    await expect.poll(() => server.count(PAY)).toBe(1)
    await tab.reload()

    await expect.poll(tab.news).toBe(PAID)
    expect(await server.count(PAY)).toBe(1)
    await expectOneCharge(order)
  })

  test('closed in flight, the payment is there when the order is opened again', async () => {
    const order = await server.placeOrder()
    await provider.setFaults([{ kind: 'slow', delayMs: 1_500, reference: order, calls: 1 }])
    const tab = await openTab(`/orders/${order}`)
    const payButton = await tab.button(PAY_BUTTON)
    payButton.click()
    await expect.poll(() => server.count(PAY)).toBe(1)
    tab.close()

    const again = await openTab(`/orders/${order}`)
    await expect.poll(again.news).toBe(PAID)
    await expectOneCharge(order)
  })

  test('reloaded after its request was lost, it sends the same payment once it may', async () => {
    const order = await server.placeOrder()
    await server.set('pay', { kind: 'close', calls: 2 })
    const tab = await openTab(`/orders/${order}`)
    const payButton = await tab.button(PAY_BUTTON)
    payButton.click()
    await expect.poll(tab.news).toBe('We do not know yet whether this was paid')
    await tab.reload()

    const checkAgain = await tab.button('Check again')
    checkAgain.click()
    await expect.poll(tab.news).toBe(PAID)
    expect((await server.calls(PAY)).map(({ answer }) => answer)).toEqual(['closed', 'closed', 201])
    await expectOneCharge(order)
  })

  test('reloaded while nothing answers, it never offers to pay as if nothing had been', async () => {
    const order = await server.placeOrder()
    await server.set('pay', { kind: 'lost-answer', calls: 2 })
    const tab = await openTab(`/orders/${order}`)
    const payButton = await tab.button(PAY_BUTTON)
    payButton.click()
    await expect.poll(tab.news).toBe('We do not know yet whether this was paid')
    await server.set('payment-by-key', { kind: 'status', status: 503 })
    await tab.reload()

    // It asks by itself first.
    const checkAgain = await tab.button('Check again')
    expect(await server.count('GET /payments/by-key/:key')).toBe(1)
    expect(tab.findButton(PAY_BUTTON)).toBeUndefined()
    checkAgain.click()
    await expect.poll(() => server.count('GET /payments/by-key/:key')).toBe(2)
    expect(tab.news()).not.toBe(PAID)
    await server.clear()
    checkAgain.click()
    await expect.poll(tab.news).toBe(PAID)
    await expectOneCharge(order)
  })
})

describe('two tabs', () => {
  test('that pay within 10 ms send one request, and both show the receipt', async () => {
    const order = await server.placeOrder()
    await provider.setFaults([{ kind: 'slow', delayMs: 500, reference: order, calls: 1 }])
    const tabs = await Promise.all([openTab(`/orders/${order}`), openTab(`/orders/${order}`)])
    const buttons = await Promise.all(tabs.map(tab => tab.button(PAY_BUTTON)))
    for (const button of buttons) button.click()

    for (const tab of tabs) await expect.poll(tab.news).toBe(PAID)
    expect(await server.count(PAY)).toBe(1)
    await expectOneCharge(order)
  })

  test('what one tab has paid, the other shows without a reload', async () => {
    const order = await server.placeOrder()
    const [first, second] = await Promise.all([
      openTab(`/orders/${order}`),
      openTab(`/orders/${order}`),
    ])
    await second.button(PAY_BUTTON)
    const payButton = await first.button(PAY_BUTTON)
    payButton.click()

    await expect.poll(second.news).toBe(PAID)
    await expectOneCharge(order)
  })

  test('of which one was hidden between two attempts: the other does not wait for it for ever', async () => {
    const order = await server.placeOrder()
    await server.set('pay', { kind: 'close', calls: 1 })
    const hidden = await openTab(`/orders/${order}`)
    const payButton = await hidden.button(PAY_BUTTON)
    payButton.click()
    await expect.poll(() => server.count(PAY)).toBe(1)
    hidden.turn('hidden')

    // It has patience for 5 looks, and then with what the hidden one holds: 15 s in all.
    const other = await openTab(`/orders/${order}`, 5)
    await expect.poll(() => other.findButton('Check again')).toBeTruthy()
    expect(other.findButton(PAY_BUTTON)).toBeUndefined()
    const checkAgain = await other.button('Check again')
    checkAgain.click()
    await expect.poll(other.news).toBe(PAID)
    hidden.turn('visible')
    await expect.poll(hidden.news).toBe(PAID)
    expect(await server.count(PAY)).toBe(2)
    await expectOneCharge(order)
  })
})
