import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { violations } from '../testing/axe.ts'
import { openShop } from '../testing/open-shop.tsx'
import { server } from '../testing/server.ts'
import type { Side } from './crowd.ts'

const scope = (name: string) => document.querySelector<HTMLElement>(`[data-scope="${name}"]`)
const breaker = () => scope('bounded')?.querySelector<HTMLElement>('[data-state]')?.dataset.state
const retriesLeft = (name: string) => scope(name)?.querySelector('meter')?.value

/** What the server has received from one side, by its own log. */
async function receivedFrom(side: Side): Promise<number> {
  const calls = await server.calls('GET /catalogue')
  return calls.filter(({ target }) => target.includes(`crowd=${side}-`)).length
}

describe('a long outage', () => {
  test('the circuit opens and the budget spares calls: the server receives less than half of what the other crowd sends, and calm closes it again', async () => {
    await openShop('/', { backstage: 'open' })
    await expect.element(page.getByText('Hanji notebook')).toBeVisible()
    await page.getByRole('radio', { name: 'Long outage' }).click()

    await expect.poll(breaker, { timeout: 15_000 }).toBe('open')
    expect(retriesLeft('bounded')).toBeLessThan(20)
    await expect.poll(() => receivedFrom('unbounded'), { timeout: 30_000 }).toBeGreaterThan(60)
    expect(await receivedFrom('bounded')).toBeLessThan((await receivedFrom('unbounded')) / 2)
    // What the page shows is the server's own count, a second old at most.
    await expect
      .poll(async () => {
        const shown = Number(scope('unbounded')?.querySelector('strong')?.textContent)
        return Math.abs(shown - (await receivedFrom('unbounded')))
      })
      .toBeLessThan(20)

    await page.getByRole('radio', { name: 'Calm' }).click()
    // The crowd leaves when the circuit has closed, by itself.
    await expect.poll(() => scope('bounded'), { timeout: 30_000 }).toBe(null)
    await expect.element(page.getByText('Hanji notebook')).toBeVisible()
    const answers = (await server.calls('GET /catalogue')).filter(({ target }) =>
      target.includes('crowd=bounded-'),
    )
    expect(answers.slice(-4).map(({ answer }) => answer)).toEqual([200, 200, 200, 200])
  })

  test('the page’s own attempts are counted without the crowd', async () => {
    await openShop('/', { backstage: 'open' })
    await expect.element(page.getByText('Hanji notebook')).toBeVisible()
    await page.getByRole('radio', { name: 'Long outage' }).click()
    await expect.poll(() => receivedFrom('unbounded'), { timeout: 15_000 }).toBeGreaterThan(20)
    const proof = document.querySelector('[data-query="GET /catalogue"] .track__proof')
    const [sent, received] = proof?.textContent?.match(/\d+/g)?.map(Number) ?? []
    expect(sent).toBeLessThanOrEqual(5)
    expect(received).toBeLessThanOrEqual(5)
  })

  test('is chosen with the keyboard, and reads well to a screen reader', async () => {
    await openShop('/', { backstage: 'open' })
    await expect.element(page.getByText('Hanji notebook')).toBeVisible()
    // The dial can be worked once the server has told its weather.
    await expect.element(page.getByRole('radio', { name: 'Calm' })).toBeEnabled()
    page.getByRole('radio', { name: 'Calm' }).element().focus()
    // Backwards from the first: unplugged, then the long outage.
    await userEvent.keyboard('{ArrowLeft}')
    await expect.element(page.getByRole('radio', { name: 'Unplugged' })).toBeChecked()
    await userEvent.keyboard('{ArrowLeft}')
    await expect.element(page.getByRole('radio', { name: 'Long outage' })).toBeChecked()
    await expect
      .element(page.getByRole('heading', { name: 'What holds the load back' }))
      .toBeVisible()
    await expect
      .element(page.getByRole('meter', { name: 'Retries left: This page' }))
      .toHaveAttribute('aria-valuetext', expect.stringMatching(/^\d+ of 60$/))
    expect(await violations()).toEqual([])
  })

  test('speaks Korean', async () => {
    await openShop('/', { backstage: 'open', language: 'ko' })
    await page.getByRole('radio', { name: '긴 장애' }).click()
    await expect.element(page.getByRole('heading', { name: '부하를 막아 주는 것' })).toBeVisible()
    await expect.element(page.getByText('차단기 닫힘: 요청을 보내요').first()).toBeVisible()
  })

  test('is found again after a reload, while the server still has it', async () => {
    for (const route of ['catalogue', 'cart', 'orders', 'order'] as const)
      await server.set(route, { kind: 'status', status: 502 })
    await openShop('/', { backstage: 'open' })
    await expect.element(page.getByRole('radio', { name: 'Long outage' })).toBeChecked()
    await expect.poll(() => scope('bounded')).not.toBe(null)
  })
})
