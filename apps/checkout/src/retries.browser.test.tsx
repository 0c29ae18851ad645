import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { fastRetries, longWaits, unluckyDraws } from './testing/fast-retries.ts'
import { openShop } from './testing/open-shop.tsx'
import { recordNotices } from './testing/record-notices.ts'
import { server } from './testing/server.ts'

const CATALOGUE = 'GET /catalogue'
const products = () => document.querySelectorAll('.product').length
const status = (code: number, more = {}) => ({ kind: 'status' as const, status: code, ...more })

describe('a page that waits', () => {
  test('two 503s, then the page, with a countdown between', async () => {
    await server.set('catalogue', status(503, { calls: 2 }))
    const seen = recordNotices()
    const { phase } = await openShop('/', { retry: unluckyDraws })

    await expect.poll(products, { timeout: 10_000 }).toBe(6)
    expect(phase()).toBe('idle')
    expect(seen.messages).toContain('The server is having trouble.')
    // The second window is twice as long: there the seconds count down, the last unseen by a late page.
    expect(['1,2,1', '1,2']).toContain(seen.secondsLeft.filter(seconds => seconds > 0).join())
    expect((await server.calls(CATALOGUE)).map(call => call.answer)).toEqual([503, 503, 200])
  })

  test('after 429 with Retry-After: 2 the server is not asked again before 2 s by its own clock', async () => {
    await server.set(
      'catalogue',
      status(429, { calls: 1, retryAfter: { form: 'seconds', seconds: 2 } }),
    )
    const { notice } = await openShop('/')

    await expect.element(notice).toHaveTextContent('The server asked us to slow down.')
    await expect.poll(products, { timeout: 10_000 }).toBe(6)
    const [first, second, ...others] = await server.calls(CATALOGUE)
    expect(others).toEqual([])
    expect((second?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0)).toBeGreaterThanOrEqual(2_000)
  })

  test('a Retry-After date is kept as well, by the Date of the answer', async () => {
    await server.set(
      'catalogue',
      status(503, { calls: 1, retryAfter: { form: 'date', seconds: 2 } }),
    )
    await openShop('/')

    await expect.poll(products, { timeout: 15_000 }).toBe(6)
    const [first, second] = await server.calls(CATALOGUE)
    // A date counts whole seconds, so up to one of the two may be gone when it is written.
    expect((second?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0)).toBeGreaterThan(1_000)
  })

  test('an outage ends after 5 calls in all, says why, and "try again" works', async () => {
    await server.set('catalogue', status(503))
    const { notice, phase } = await openShop('/', { retry: fastRetries })

    await expect.poll(phase).toBe('stopped')
    await expect
      .element(notice)
      .toHaveTextContent('The server is having trouble. Please try again later.')
    expect(await server.count(CATALOGUE)).toBe(5)

    await server.clear()
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(products).toBe(6)
    expect(phase()).toBe('idle')
    expect(await server.count(CATALOGUE)).toBe(6)
  })

  test('"try now" sends exactly one call, at once', async () => {
    await server.set('catalogue', status(503, { calls: 1 }))
    const { phase } = await openShop('/', { retry: longWaits })
    await expect.poll(phase).toBe('waiting')

    // Twice, as impatient people do.
    await page.getByRole('button', { name: 'Try now' }).dblClick()
    await expect.poll(products).toBe(6)
    const [first, second, ...others] = await server.calls(CATALOGUE)
    expect(others).toEqual([])
    // The wait would have been 20 s.
    expect((second?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0)).toBeLessThan(8_000)
  })

  test('"cancel" ends the wait, and nothing more is sent', async () => {
    await server.set('catalogue', status(503))
    const { notice, phase } = await openShop('/', { retry: longWaits })
    await expect.poll(phase).toBe('waiting')

    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(phase).toBe('stopped')
    await expect.element(notice).not.toBeEmptyDOMElement()
    expect(await server.count(CATALOGUE)).toBe(1)
  })

  for (const kind of ['cut-body', 'close'] as const) {
    test(`a ${kind === 'close' ? 'closed connection' : 'cut body'} is asked for again and recovers`, async () => {
      await server.set('catalogue', { kind, calls: 1 })
      await openShop('/', { retry: fastRetries })
      await expect.poll(products).toBe(6)
      expect(await server.count(CATALOGUE)).toBe(2)
    })
  }

  test('a slow answer is not a failed one: nothing is asked twice', async () => {
    await server.set('catalogue', { kind: 'slow', delayMs: 1_500 })
    const { phase } = await openShop('/')
    await expect.element(page.getByText('Loading the catalogue')).toBeInTheDocument()
    await expect.poll(products, { timeout: 10_000 }).toBe(6)
    expect(phase()).toBe('idle')
    expect(await server.count(CATALOGUE)).toBe(1)
  })
})

describe('data that is already there', () => {
  test('"show more" that fails keeps the products, and goes on to the rest', async () => {
    const { phase } = await openShop('/', { retry: longWaits })
    await expect.poll(products).toBe(6)
    await server.set('catalogue', status(503, { calls: 1 }))

    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(phase).toBe('waiting')
    expect(products()).toBe(6)

    await page.getByRole('button', { name: 'Try now' }).click()
    await expect.poll(products).toBe(12)
    await expect.element(page.getByText('That is the whole shelf.')).toBeVisible()
  })

  test('stays where it is, to the pixel, when the notice comes and goes', async () => {
    for (const width of [360, 1280]) {
      await page.viewport(width, 800)
      const { shop, phase, screen } = await openShop('/cart', { retry: longWaits, language: 'ko' })
      await expect.element(page.getByText('한지 노트')).toBeVisible()
      const top = () => document.querySelector('.lines')?.getBoundingClientRect().top
      const before = top()

      await server.set('cart', status(503, { calls: 1 }))
      void shop.queryClient.refetchQueries({ queryKey: ['cart'] })
      await expect.poll(phase).toBe('waiting')
      await expect.element(page.getByText('한지 노트')).toBeVisible()
      expect(top()).toBe(before)
      await screen.unmount()
    }
  })
})

describe('the order page', () => {
  const ORDER = 'GET /orders/ord_1004'

  test('its fallback has the notice, then the order comes', async () => {
    await server.set('order', status(503, { calls: 1 }))
    const { notice, phase } = await openShop('/orders/ord_1004', { retry: longWaits })

    await expect.element(page.getByText('Loading the order')).toBeInTheDocument()
    await expect.poll(phase).toBe('waiting')
    await expect.element(notice).toHaveTextContent('The server is having trouble.')
    await page.getByRole('button', { name: 'Try now' }).click()
    await expect.element(page.getByText('Letter set, plum blossom')).toBeVisible()
    expect(await server.count(ORDER)).toBe(2)
  })

  test('its boundary says how often it asked, and "try again" works', async () => {
    await server.set('order', status(503))
    await openShop('/orders/ord_1004', { retry: fastRetries })

    const alert = page.getByRole('alert')
    await expect.element(alert).toHaveTextContent('We asked 5 times and stopped')
    expect(await server.count(ORDER)).toBe(5)
    await server.clear()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await expect.element(page.getByText('Letter set, plum blossom')).toBeVisible()
    // The button is gone; whoever pressed it is not thrown back to the top of the document.
    await expect.element(page.getByRole('main')).toHaveFocus()
  })

  test('an order that does not exist is asked for once and offers no "try again"', async () => {
    await openShop('/orders/ord_0')
    await expect.element(page.getByRole('alert')).toHaveTextContent('There is no such order')
    expect(page.getByRole('button', { name: 'Try again' }).elements()).toEqual([])
    expect(await server.count('GET /orders/ord_0')).toBe(1)
  })
})
