import { expect, onTestFinished, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { violations } from '../testing/axe.ts'
import { openShop } from '../testing/open-shop.tsx'
import { paymentRecord } from '../testing/payment-record.ts'
import { provider, server } from '../testing/server.ts'
import {
  answers,
  calledOff,
  checkAgain,
  expectOneCharge,
  openOrder,
  PAY,
  paid,
  payButton,
  payDifferently,
} from '../testing/till.ts'

const till = () => document.querySelector<HTMLElement>('.payment')
const phase = () => till()?.dataset.phase
const news = () => till()?.querySelector('.payment__news')?.textContent
const buttons = () => [...(till()?.querySelectorAll('button') ?? [])].map(each => each.textContent)
const say = (language: string) => page.getByRole('button', { name: language }).click()

/** An order whose payment was sent, and its page once it is too late to send the key again. */
async function openExpired(loss: 'close' | 'lost-answer') {
  const { order, screen } = await openOrder()
  await server.set('pay', { kind: loss, calls: 2 })
  await payButton.click()
  await expect.poll(phase).toBe('unknown')
  await screen.unmount()
  paymentRecord.change(order, { sendByEpochMs: Date.now() })
  await openShop(`/orders/${order}`)
  await expect.poll(phase).toBe('expired')
  return order
}

test('too late to send it again, and nothing has come of it: said so, and called off to pay differently', async () => {
  const order = await openExpired('close')
  expect(news()).toBe(
    'We do not know yet whether this was paid' +
      'Too much time has passed to send the payment again, but we can look up what became of it.',
  )
  expect(buttons()).toEqual(['Check again', 'Pay differently'])
  await checkAgain.click()
  await expect.element(page.getByText(/^Nothing new yet: the server has no result/)).toBeVisible()
  expect(await violations()).toEqual([])

  await say('한국어')
  await expect
    .poll(news)
    .toBe(
      '결제됐는지 아직 알 수 없어요' +
        '시간이 많이 지나서 결제를 다시 보낼 수는 없지만, 어떻게 됐는지는 확인할 수 있어요.',
    )
  expect(buttons()).toEqual(['다시 확인', '다른 방법으로 결제'])
  await expect.element(page.getByText(/^아직 새로운 소식이 없어요/)).toBeVisible()
  expect(await violations()).toEqual([])
  // Asked about, and never sent.
  expect(await server.count(PAY)).toBe(2)
  expect(await provider.captured(order)).toEqual([])

  await say('English')
  await payDifferently.click()
  await expect.element(calledOff).toBeVisible()
  await payButton.click()
  await expect.element(paid).toBeVisible()
  expect(await answers()).toEqual(['closed', 'closed', 201])
  await expectOneCharge(order)
})

test('too late to send it again, and it was charged: "check again" shows the receipt, and sends nothing', async () => {
  const order = await openExpired('lost-answer')
  await checkAgain.click()

  await expect.element(page.getByLabelText('Receipt')).toBeVisible()
  expect(await answers()).toEqual(['lost', 'lost'])
  await expectOneCharge(order)
})

test('another payment under its key: nothing more is sent, and "check again" shows what was charged', async () => {
  const { order } = await openOrder()
  sendFirstWithAnotherCard('card_ok')
  await page.getByRole('radio', { name: 'Card that has expired' }).click()
  await payButton.click()
  await expect.poll(phase).toBe('conflict')

  expect(news()).toBe(
    'We do not know yet whether this was paid' +
      'The server has a payment under this number with other details. Nothing more is sent; we can look up what became of it.',
  )
  expect(buttons()).toEqual(['Check again'])
  expect(await violations()).toEqual([])
  await say('한국어')
  await expect
    .poll(news)
    .toBe(
      '결제됐는지 아직 알 수 없어요' +
        '서버에 같은 번호로 내용이 다른 결제가 있어요. 더 보내지 않고, 어떻게 됐는지만 확인할 수 있어요.',
    )
  expect(buttons()).toEqual(['다시 확인'])
  expect(await violations()).toEqual([])

  await page.getByRole('button', { name: '다시 확인' }).click()
  await expect.element(page.getByLabelText('영수증')).toBeVisible()
  expect(await answers()).toEqual([201, 422])
  await expectOneCharge(order)
})

/** The first payment of this page arrives with another card in it, and its answer is lost. */
function sendFirstWithAnotherCard(paymentMethod: string) {
  const { fetch } = window
  let isFirst = true
  const spy = vi.spyOn(window, 'fetch').mockImplementation(async (input, init) => {
    if (!isFirst || !String(input).endsWith('/payments')) return fetch(input, init)
    isFirst = false
    const payment = { ...JSON.parse(String(init?.body)), paymentMethod }
    await fetch(input, { ...init, body: JSON.stringify(payment) })
    throw new TypeError('Failed to fetch')
  })
  onTestFinished(() => spy.mockRestore())
}
