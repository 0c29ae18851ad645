import { useIdempotentMutation } from '@query-retry/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { Shop } from '../shop.ts'
import { setNetwork } from '../testing/browser.ts'
import { openShop } from '../testing/open-shop.tsx'
import { paymentRecord } from '../testing/payment-record.ts'
import { recordRequests } from '../testing/record-requests.ts'
import { provider, server } from '../testing/server.ts'
import {
  answers,
  calledOff,
  checkAgain,
  expectOneCharge,
  inDoubt,
  notSent,
  openOrder,
  PAY,
  paid,
  paidBefore,
  payButton,
  payDifferently,
  waitingForNetwork,
} from '../testing/till.ts'
import type { Card } from './use-payment.ts'

describe('exactly one charge', () => {
  test('an answer lost after the charge is asked for again under the same key', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'lost-answer', calls: 1 })
    await payButton.click()

    await expect.element(paid).toBeVisible()
    // The second was answered from what the first has done.
    expect(await answers()).toEqual(['lost', 201])
    await expectOneCharge(order)
  })

  test('a connection that dies before the server hears of it is tried again', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'close', calls: 1 })
    await payButton.click()

    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual(['closed', 201])
    await expectOneCharge(order)
  })

  test('a provider that loses its answer leaves a doubt, which "check again" ends', async () => {
    const { order } = await openOrder()
    await provider.setFaults([{ kind: 'lost-after', reference: order, calls: 1 }])
    await payButton.click()

    await expect.element(inDoubt).toBeVisible()
    expect(page.getByRole('button', { name: /^Pay ₩|pay again/i }).elements()).toEqual([])
    await expect.poll(() => document.querySelector('.payment__number code')).not.toBeNull()
    await checkAgain.click()
    await expect.element(paid).toBeVisible()
    await expectOneCharge(order)
  })

  test('two lost requests leave a doubt; "check again" sends the same payment once more', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'close', calls: 2 })
    await payButton.click()

    await expect.element(inDoubt).toBeVisible()
    await checkAgain.click()
    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual(['closed', 'closed', 201])
    await expectOneCharge(order)
  })

  test('site data cleared while in doubt, then paid again: the server knows the order', async () => {
    const { order, screen } = await openOrder()
    await provider.setFaults([{ kind: 'lost-after', reference: order, calls: 1 }])
    await payButton.click()
    await expect.element(inDoubt).toBeVisible()
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

  test('401 after a lost attempt: the same visitor logs in again, and the key stays', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'lost-answer', calls: 1 })
    await payButton.click()
    await expect.poll(answers).toEqual(['lost'])
    await server.set('pay', { kind: 'status', status: 401, calls: 1 })

    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual(['lost', 401, 201])
    await expectOneCharge(order)
  })

  test('a login that has ended meanwhile: the same visitor logs in again, and pays once', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'status', status: 401, calls: 1 })
    await payButton.click()

    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual([401, 201])
    await expectOneCharge(order)
  })

  test('a provider slower than the client waits for: asked again, under the same key', async () => {
    const { order } = await openOrder({ paymentLimitMs: 600 })
    await provider.setFaults([{ kind: 'slow', delayMs: 1_500, reference: order, calls: 1 }])
    await payButton.click()

    await expect.element(paid).toBeVisible()
    expect(await server.count(PAY)).toBeGreaterThan(1)
    await expectOneCharge(order)
  })

  test('paid while offline, it goes out once the network is back', async () => {
    const { order } = await openOrder()
    await setNetwork('cut')
    await expect.poll(() => navigator.onLine).toBe(false)
    await payButton.click()
    await expect.element(waitingForNetwork).toBeVisible()
    // Once is enough.
    expect(document.querySelector('.payment')?.textContent?.match(/You are offline/g)).toHaveLength(
      1,
    )

    await setNetwork('connected')
    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual([201])
    await expectOneCharge(order)
  })

  test('a gateway that gives up (504) while the server goes on: asked again, paid once', async () => {
    const { order } = await openOrder()
    const { fetch } = window
    let isFirst = true
    vi.spyOn(window, 'fetch').mockImplementation(async (...request) => {
      const isPayment = String(request[0]).endsWith('/payments')
      const response = await fetch(...request)
      if (!isPayment || !isFirst) return response
      isFirst = false
      return new Response('<h1>504 Gateway Time-out</h1>', { status: 504 })
    })
    onTestFinished(() => void vi.restoreAllMocks())
    await payButton.click()

    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual([201, 201])
    await expectOneCharge(order)
  })

  test('a login page in place of the answer is no receipt', async () => {
    const { order } = await openOrder()
    const { fetch } = window
    vi.spyOn(window, 'fetch').mockImplementation(async (...request) => {
      const response = await fetch(...request)
      if (!String(request[0]).endsWith('/payments')) return response
      return Response.json({ id: 'pay_0' })
    })
    onTestFinished(() => void vi.restoreAllMocks())
    await payButton.click()
    await expect.element(inDoubt).toBeVisible()

    vi.restoreAllMocks()
    await checkAgain.click()
    await expect.element(paid).toBeVisible()
    await expectOneCharge(order)
  })

  test('turned into another language between two attempts, it stays the same payment', async () => {
    const { order } = await openOrder()
    await server.set('pay', { kind: 'lost-answer', calls: 1 })
    await payButton.click()
    await expect.poll(answers).toEqual(['lost'])
    await page.getByRole('button', { name: '한국어' }).click()

    await expect.element(page.getByText('결제가 완료됐어요. 고마워요!')).toBeVisible()
    await expectOneCharge(order)
  })

  test('re-rendered between two attempts with another function over another card, it sends the same again', async () => {
    const order = await server.placeOrder()
    const { shop, screen } = await openShop('/orders')
    const sent = recordRequests()
    await server.set('pay', { kind: 'lost-answer', calls: 1 })
    const till = (card: Card) => (
      <QueryClientProvider client={shop.queryClient}>
        <CardTill shop={shop} order={order} card={card} onLost={changeCard} />
      </QueryClientProvider>
    )
    const changeCard = vi.fn(() => screen.rerender(till('card_declined')))
    await screen.rerender(till('card_ok'))
    await page.getByRole('button', { name: 'card_ok' }).click()

    await expect.element(page.getByText('card_declined: succeeded')).toBeVisible()
    expect(changeCard).toHaveBeenCalledOnce()
    expect(await answers()).toEqual(['lost', 201])
    const [first, second, ...more] = sent
      .filter(({ target }) => target === PAY)
      .map(({ headers, body }) => ({ key: headers.get('Idempotency-Key'), body }))
    expect(first?.body).toContain('card_ok')
    expect(second).toEqual(first)
    expect(more).toEqual([])
    await expectOneCharge(order)
  })

  test('another amount while in doubt is not sent: the first payment is settled before', async () => {
    const { order, shop } = await openOrder()
    await server.set('pay', { kind: 'close', calls: 2 })
    await payButton.click()
    await expect.element(inDoubt).toBeVisible()
    shop.queryClient.setQueryData(
      shop.queries.order(order).queryKey,
      known => known && { ...known, total: { amount: 130_000, currency: 'KRW' } },
    )
    await expect.element(page.getByText('₩130,000')).toBeVisible()
    await checkAgain.click()

    await expect.element(page.getByText('The order costs something else now')).toBeVisible()
    expect(await server.count(PAY)).toBe(2)
    await payDifferently.click()
    await expect.element(calledOff).toBeVisible()
    await payButton.click()
    await expect.element(paid).toBeVisible()
    await expectOneCharge(order)
  })

  test('a callback that throws and a page that is left change nothing', async () => {
    const order = await server.placeOrder()
    const { shop, screen } = await openShop('/orders')
    const thrown = vi.fn(() => {
      throw new Error('a mistake in a callback')
    })
    await server.set('pay', { kind: 'lost-answer', calls: 1 })
    await screen.rerender(
      <QueryClientProvider client={shop.queryClient}>
        <Till shop={shop} order={order} onSuccess={thrown} />
      </QueryClientProvider>,
    )
    await page.getByRole('button', { name: 'Till' }).click()
    await screen.unmount()
    await expect.poll(() => thrown.mock.calls.length).toBe(1)

    await openShop(`/orders/${order}`)
    await expect.element(paid).toBeVisible()
    expect(await answers()).toEqual(['lost', 201])
    await expectOneCharge(order)
  })

  test.each([
    ['cut off', '{"version":'],
    ['of a later version', '{"version":2,"key":"k1","state":"sending"}'],
    ['something else', '[null]'],
  ])('a record that is %s: replaced with a warning, and paid once', async (_, text) => {
    const warnings = recordWarnings()
    const order = await server.placeOrder()
    paymentRecord.replace(order, text)
    await openShop(`/orders/${order}`)
    await payButton.click()

    await expect.element(paid).toBeVisible()
    expect(warnings()).toContain('Unreadable intent')
    await expectOneCharge(order)
  })

  test('a record damaged while in doubt: paid again with a warning, and the server takes it once', async () => {
    const warnings = recordWarnings()
    const { order, screen } = await openOrder()
    // The server cannot find out either, until it is let.
    await provider.setFaults([{ kind: 'lost-after', reference: order, calls: 100 }])
    await payButton.click()
    await expect.element(inDoubt).toBeVisible()
    await screen.unmount()
    paymentRecord.replace(order, paymentRecord.text(order).slice(1))
    await openShop(`/orders/${order}`)
    await payButton.click()
    await expect.poll(answers).toContain(409)
    await provider.setFaults([])

    await expect.element(paidBefore).toBeVisible()
    expect(warnings()).toContain('Unreadable intent')
    await expectOneCharge(order)
  })

  test("another order's record under this order's name pays nothing, and is not taken for a receipt", async () => {
    const warnings = recordWarnings()
    const { order: other, screen } = await openOrder()
    await payButton.click()
    await expect.element(paid).toBeVisible()
    await screen.unmount()
    const order = await server.placeOrder()
    paymentRecord.replace(order, paymentRecord.text(other))
    await openShop(`/orders/${order}`)
    await payButton.click()

    await expect.element(paid).toBeVisible()
    expect(warnings()).toContain('Unreadable intent')
    expect(paymentRecord.text(order)).not.toContain(other)
    await expectOneCharge(order)
    await expectOneCharge(other)
  })

  test('a receipt that makes no sense is left out: the order is shown, and was paid once', async () => {
    const { order, screen } = await openOrder()
    await payButton.click()
    await expect.element(paid).toBeVisible()
    await screen.unmount()
    paymentRecord.change(order, { result: { id: 7, total: 124_000 } })
    await openShop(`/orders/${order}`)

    await expect.element(paid).toBeVisible()
    await expect.element(page.getByText('Hanji notebook')).toBeVisible()
    expect(page.getByLabelText('Receipt').elements()).toEqual([])
    expect(page.getByText('This is your receipt.').elements()).toEqual([])
    await expectOneCharge(order)
  })

  test('a storage that is taken away: nothing is sent, and the page says so', async () => {
    const { order } = await openOrder()
    vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
      throw new DOMException('forbidden', 'SecurityError')
    })
    onTestFinished(() => void vi.restoreAllMocks())
    await payButton.dblClick()

    await expect.element(notSent).toBeVisible()
    expect(await server.count(PAY)).toBe(0)
    expect(await provider.captured(order)).toEqual([])
  })

  test('a storage that is full: kept for this page only, and paid once', async () => {
    const { order } = await openOrder()
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    onTestFinished(() => void vi.restoreAllMocks())
    await payButton.dblClick()

    await expect.element(paid).toBeVisible()
    await expectOneCharge(order)
  })
})

/** @returns what was warned of on the console, as one text */
function recordWarnings(): () => string {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  onTestFinished(() => warned.mockRestore())
  return () => warned.mock.calls.flat().join()
}

/** A till of somebody else's making, with a callback. */
function Till({ shop, order, onSuccess }: { shop: Shop; order: string; onSuccess(): void }) {
  const options = shop.payments.payment({ id: order })
  const { mutate } = useIdempotentMutation({ ...options, onSuccess })
  const payment = { order, amount: 124_000, currency: 'KRW', paymentMethod: 'card_ok' } as const
  return (
    <button type="button" onClick={() => mutate(payment)}>
      Till
    </button>
  )
}

/** A till whose function is another one each time, and closes over what it sends. */
function CardTill({
  shop,
  order,
  card,
  onLost,
}: {
  shop: Shop
  order: string
  card: Card
  onLost(): unknown
}) {
  const { mutationFn: pay, ...options } = shop.payments.payment({ id: order })
  const { intent, mutate } = useIdempotentMutation({
    ...options,
    async mutationFn(payment, context) {
      try {
        return await pay({ ...payment, paymentMethod: card }, context)
      } catch (error) {
        await onLost()
        throw error
      }
    },
  })
  const payment = { order, amount: 124_000, currency: 'KRW', paymentMethod: 'card_ok' } as const
  return (
    <button type="button" onClick={() => mutate(payment)}>
      {card}: {intent.state}
    </button>
  )
}
