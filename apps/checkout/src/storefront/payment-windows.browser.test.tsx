import { describe, expect, test } from 'vitest'
import { openWindow, type WindowOptions } from '../testing/open-window.ts'
import { server } from '../testing/server.ts'
import { answers, expectOneCharge } from '../testing/till.ts'

const PAY = 'Pay ₩124,000'
const PAID = 'Paid. Thank you!'
const IN_DOUBT = 'We do not know yet whether this was paid'

async function openOrderIn(options: WindowOptions) {
  const order = await server.placeOrder()
  return { order, window: await openWindow(`/orders/${order}`, options) }
}

describe('over plain http', () => {
  test('a double click and a lost answer make one charge, under a key that the page warns about', async () => {
    const { order, window } = await openOrderIn({ isPlainHttp: true })
    await server.set('pay', { kind: 'lost-answer', calls: 1 })
    await window.doublePress(PAY)

    await expect.poll(window.news).toBe(PAID)
    expect(await answers()).toEqual(['lost', 201])
    await expectOneCharge(order)
    expect(await window.read()).toMatchObject({
      isSecureContext: false,
      hasRandomUuid: false,
      hasLocks: false,
      warnings: ['[query-retry] Keys do not survive this page: no Web Locks (they need https)'],
    })
  })
})

describe('a browser that forbids storage', () => {
  test('warns, pays once for a double click, and sends the same payment again while in doubt', async () => {
    const { order, window } = await openOrderIn({ storage: 'forbidden' })
    await server.set('pay', { kind: 'close', calls: 2 })
    await window.doublePress(PAY)
    await expect.poll(window.news).toBe(IN_DOUBT)
    await window.press('Check again')

    await expect.poll(window.news).toBe(PAID)
    expect(await answers()).toEqual(['closed', 'closed', 201])
    await expectOneCharge(order)
    expect(await window.read()).toMatchObject({
      storage: 'SecurityError',
      warnings: ['[query-retry] Keys do not survive this page: no localStorage'],
    })
  })

  test('and one that has none: a lost answer is asked for again under the same key', async () => {
    const { order, window } = await openOrderIn({ storage: 'off' })
    await server.set('pay', { kind: 'lost-answer', calls: 1 })
    await window.press(PAY)

    await expect.poll(window.news).toBe(PAID)
    expect(await answers()).toEqual(['lost', 201])
    await expectOneCharge(order)
    expect(await window.read()).toMatchObject({
      storage: 'null',
      warnings: ['[query-retry] Keys do not survive this page: no localStorage'],
    })
  })
})

describe('a private window', () => {
  test('keeps the key over a reload, and pays once', async () => {
    const { order, window } = await openOrderIn({})
    await server.set('pay', { kind: 'close', calls: 2 })
    await window.press(PAY)
    await expect.poll(window.news).toBe(IN_DOUBT)
    await window.reload()
    await window.press('Check again')

    await expect.poll(window.news).toBe(PAID)
    expect(await answers()).toEqual(['closed', 'closed', 201])
    expect((await window.read()).warnings).toEqual([])
    await expectOneCharge(order)
  })
})
