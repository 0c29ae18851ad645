import { formatPolicy, type PolicyDescription } from '@query-retry/react'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { cdp, page, userEvent } from 'vitest/browser'
import type { Shop } from '../shop.ts'
import { violations } from '../testing/axe.ts'
import { setColours } from '../testing/browser.ts'
import { type OpenOptions, openShop } from '../testing/open-shop.tsx'
import { describeShop } from './describe-shop.ts'

const SHEETS = ['queries', 'mutations'] as const
type SheetName = (typeof SHEETS)[number]

const sheet = (name: SheetName) => document.querySelector(`[data-sheet="${name}"]`)
const texts = (name: SheetName, selector: string) =>
  [...(sheet(name)?.querySelectorAll(selector) ?? [])].map(({ textContent }) => textContent?.trim())

function figures(name: SheetName) {
  const figure = (of: string) => texts(name, `[data-figure="${of}"] dd`)[0]
  return {
    attempts: figure('attempts'),
    calls: figure('calls'),
    average: figure('average'),
    most: figure('most'),
  }
}

/** Opens the page by its address. */
async function openPolicy(options: OpenOptions = {}) {
  const opened = await openShop('/policy', options)
  await expect.poll(() => sheet('mutations')).not.toBeNull()
  return opened
}

/** As a person reads it, up to a minute: three digits are enough. */
const time = (ms: number) =>
  ms < 1_000 ? `${Number(ms.toPrecision(3))} ms` : `${Number((ms / 1_000).toPrecision(3))} s`

function expectShown(name: SheetName, description: PolicyDescription) {
  const { attempts, worstCaseCalls, expectedWaitMs, isCutByDeadline, worstWaitMs } = description
  expect(figures(name)).toEqual({
    attempts: `${attempts}`,
    calls: `${worstCaseCalls}`,
    average: `${isCutByDeadline ? 'about ' : ''}${time(expectedWaitMs)}`,
    most: time(worstWaitMs),
  })
  expect(texts(name, '[data-topic] dt')).toEqual(description.rows.map(({ title }) => title))
  expect(texts(name, '[data-topic] dd > span')).toEqual(description.rows.map(({ text }) => text))
}

const axisOf = (name: SheetName) => texts(name, '.wait-bars__axis span')
const barWidth = (name: SheetName, retry: number) =>
  sheet(name)?.querySelector(`[data-retry="${retry}"] rect`)?.getBoundingClientRect().width ?? 0

function stubClipboard() {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  onTestFinished(() => writeText.mockRestore())
  return writeText
}

describe('the sheets', () => {
  test('of the shop as it ships are 5 attempts to read and 2 to pay, without a warning', async () => {
    await openPolicy()
    expect(figures('queries')).toEqual({
      attempts: '5',
      calls: '5',
      average: '7.9 s',
      most: '15 s',
    })
    expect(figures('mutations')).toMatchObject({ attempts: '2', calls: '2', most: '1 s' })
    expect(document.querySelectorAll('.policy-warnings li')).toHaveLength(0)
    await expect.element(page.getByText('No setting here is known to hurt.').first()).toBeVisible()
  })

  test.each<NonNullable<OpenOptions['retry']>>([
    {},
    { maxRetries: 6, capMs: 30_000, mutations: { maxRetries: 2 } },
    { deadlineMs: 10_000, budget: false },
  ])('show what describePreset says of %o', async retry => {
    const { shop } = await openPolicy({ retry })
    const pages = describeShop(shop)
    for (const name of SHEETS) expectShown(name, pages[name])
  })

  test('say of the page’s own scope what holds: its budget, and that it has no breaker', async () => {
    await openPolicy()
    const [budget] = texts('queries', '[data-topic="budget"] dd')
    expect(budget).toMatch(/^60 retries saved up, .*shared by scope page/)
    expect(texts('queries', '[data-topic="breaker"] dd')).toEqual(['None.'])
  })

  test('fill in what the shop’s own options for paying say', async () => {
    const { shop } = await openPolicy({ paymentLimitMs: 4_000 })
    expect(texts('mutations', '[data-topic="attempt-timeout"] dd')[0]).toMatch(/^4 s\b/)
    expect(texts('mutations', '[data-topic="id"] dd')[0]).toContain(
      `19 h after its first attempt (contract ${shop.payments.payment({ id: 'o' }).contract.name})`,
    )
    expect(texts('mutations', '[data-open="true"]')).toEqual([])
  })

  test('mark what is open in words', async () => {
    await openPolicy()
    expect(texts('queries', '[data-open="true"] dt')).toEqual(['Concurrency limit'])
    expect(texts('queries', '[data-open="true"] dd')[0]).toMatch(/^To fill in what limits/)
    await expect.element(page.getByText('One line is for the team to fill in.')).toBeVisible()
    await expect.element(page.getByText('All lines are filled in.')).toBeVisible()
  })

  test('leave the budget that the backstage shows the one that is in use', async () => {
    const { shop } = await openShop('/cart')
    await expect.poll(() => shop.gauges.read('page').budget).toBeDefined()
    const inUse = shop.gauges.read('page').budget
    await page.getByRole('link', { name: /^Policy/ }).click()
    await expect.poll(() => sheet('queries')).not.toBeNull()
    expect(shop.gauges.read('page').budget).toBe(inUse)
  })
})

describe('warnings', () => {
  test('of settings that hurt are there, with the option to change', async () => {
    await openPolicy({ retry: { jitter: 'none' } })
    expect(texts('queries', '.policy-warnings li')).toEqual([
      'Warning no-jitter set by jitterClients that fail together come back together, each time.',
    ])
    expect(texts('queries', '.wait-bars__words')).toEqual([
      'always 1 s',
      'always 2 s',
      'always 4 s',
      'always 8 s',
    ])
    expect(texts('mutations', '.policy-warnings li')).toEqual([])
  })

  test('name a client that development saw retry by itself, and count its calls', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    const { shop } = await openShop('/orders', { retry: { baseMs: 2, floorMs: 1 } })
    await failInAxiosRetry(shop)
    await page.getByRole('link', { name: /^Policy/ }).click()
    await expect.poll(() => figures('queries').calls).toBe('20')
    expect(texts('queries', '[data-code="nested"]')[0]).toMatch(
      /axios-retry 3 below 5 attempts are up to 20 calls/,
    )
  })
})

/** What axios-retry leaves on an error after three retries of its own. */
async function failInAxiosRetry({ queryClient }: Shop) {
  const error = Object.assign(new Error('unavailable'), {
    response: { status: 503 },
    config: { 'axios-retry': { retryCount: 3 } },
  })
  const asked = queryClient.fetchQuery({
    queryKey: ['nested'],
    queryFn: () => Promise.reject(error),
  })
  await expect(asked).rejects.toBe(error)
}

describe('the bars', () => {
  test('have one scale on both sheets, and their words beside them', async () => {
    await openPolicy()
    expect(axisOf('queries')).toEqual(['0 ms', '2 s', '4 s', '6 s', '8 s'])
    expect(axisOf('mutations')).toEqual(axisOf('queries'))
    expect(texts('queries', '.wait-bars__words')).toEqual([
      '200 ms to 1 s 600 ms on average',
      '200 ms to 2 s 1.1 s on average',
      '200 ms to 4 s 2.1 s on average',
      '200 ms to 8 s 4.1 s on average',
    ])
    // 7.8 s against 0.8 s, and half a second of a payment.
    expect(barWidth('queries', 4) / barWidth('queries', 1)).toBeCloseTo(9.75, 0)
    expect(barWidth('queries', 4) / barWidth('mutations', 1)).toBeCloseTo(15.6, 0)
  })

  test('end with a number of the scale, also where the longest wait is none: 7 s', async () => {
    await openPolicy({ retry: { capMs: 7_000 } })
    expect(axisOf('queries')).toEqual(['0 ms', '2 s', '4 s', '6 s', '8 s'])
    const box = sheet('queries')?.querySelector('.wait-bars__bar')?.getBoundingClientRect()
    expect(barWidth('queries', 4) / (box?.width ?? 0)).toBeCloseTo(6.8 / 8, 2)
  })
})

test('the same line of both sheets is on one height, or in one column on a phone', async () => {
  await openPolicy()
  const line = (name: SheetName, topic: string) =>
    sheet(name)?.querySelector(`[data-topic="${topic}"]`)?.getBoundingClientRect().top
  for (const topic of ['operation', 'layer', 'notes']) {
    expect(line('mutations', topic)).toBe(line('queries', topic))
  }
  await page.viewport(320, 640)
  expect(line('mutations', 'operation')).toBeGreaterThan(Number(line('queries', 'notes')))
})

describe('“Copy as Markdown”', () => {
  test('copies what formatPolicy makes of its sheet, and says so', async () => {
    const writeText = stubClipboard()
    const { shop } = await openPolicy()
    const pages = describeShop(shop)
    await page.getByRole('button', { name: 'Copy as Markdown Paying' }).click()
    await expect.element(page.getByText('Copied.')).toBeVisible()
    expect(writeText).toHaveBeenLastCalledWith(formatPolicy(pages.mutations))
    await page.getByRole('button', { name: 'Copy as Markdown Reading' }).click()
    expect(writeText).toHaveBeenLastCalledWith(formatPolicy(pages.queries))
    expect(
      page
        .getByText('Copied.')
        .elements()
        .map(said => said.role),
    ).toEqual(['status', 'status'])
  })

  test('admits where the clipboard is refused, and holds the text out to be copied by hand', async () => {
    stubClipboard().mockRejectedValueOnce(new DOMException('no', 'NotAllowedError'))
    const { shop } = await openPolicy()
    const button = page.getByRole('button', { name: 'Copy as Markdown Reading' })
    await button.click()
    await expect.element(page.getByRole('alert')).toHaveTextContent('did not let us copy')
    const byHand = page.getByRole('textbox', { name: 'The sheet as Markdown' })
    await expect.element(byHand).toHaveValue(formatPolicy(describeShop(shop).queries))
    expect(await violations()).toEqual([])
    await button.click()
    await expect.element(page.getByText('Copied.')).toBeVisible()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  test('works by keyboard, from the footer’s link on', async () => {
    const writeText = stubClipboard()
    await openShop('/orders')
    page
      .getByRole('link', { name: /^Policy/ })
      .element()
      .focus()
    await userEvent.keyboard('{Enter}')
    const title = page.getByRole('heading', { level: 1 })
    await expect.element(title).toHaveTextContent('The policy on a page')
    await expect.element(title).toHaveFocus()
    for (const name of ['Reading', 'Paying']) {
      await userEvent.keyboard('{Tab}')
      const button = page.getByRole('button', { name: `Copy as Markdown ${name}` })
      await expect.element(button).toHaveFocus()
      await userEvent.keyboard('{Enter}')
      await expect.element(button).toHaveFocus()
    }
    expect(writeText).toHaveBeenCalledTimes(2)
  })
})

describe('in Korean', () => {
  test('all is Korean but the policy itself, which is marked as English and said to be', async () => {
    await openPolicy({ language: 'ko', retry: { jitter: 'none' } })
    await expect
      .element(page.getByRole('heading', { level: 1 }))
      .toHaveTextContent('한 장으로 보는 재시도 정책')
    await expect.element(page.getByText('영어로 되어 있어요')).toBeVisible()
    expect(figures('queries')).toEqual({
      attempts: '5',
      calls: '5',
      average: '15초',
      most: '15초',
    })
    const walk = document.createTreeWalker(
      document.querySelector('.policy') as Element,
      NodeFilter.SHOW_TEXT,
    )
    const notKorean: string[] = []
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const isEnglish = node.parentElement?.closest('[lang]')?.getAttribute('lang') === 'en'
      const text = node.textContent ?? ''
      if (isEnglish ? /[가-힣]/.test(text) : /[a-z]{3}/i.test(text.replace('Markdown', ''))) {
        notKorean.push(text)
      }
    }
    expect(notKorean).toEqual([])
  })
})

describe.each(['light', 'dark'] as const)('in %s colours', scheme => {
  test.each(['en', 'ko'] as const)('axe finds nothing in %s, nor on a phone', async language => {
    await setColours(scheme)
    await openPolicy({ language, retry: { jitter: 'none', capMs: 30_000, maxRetries: 6 } })
    expect(await violations()).toEqual([])
    await page.viewport(320, 640)
    expect(await violations()).toEqual([])
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320)
    const small = [...document.querySelectorAll('main button')].filter(
      button => button.getBoundingClientRect().height < 44,
    )
    expect(small).toEqual([])
  })
})

test('in print there are the sheets alone', async () => {
  await openPolicy()
  await cdp().send('Emulation.setEmulatedMedia', { media: 'print' })
  onTestFinished(async () => {
    await cdp().send('Emulation.setEmulatedMedia', { media: '' })
  })
  const isShown = (selector: string) =>
    document.querySelector(selector)?.checkVisibility() ?? `no ${selector}`
  expect(
    ['.shop-header', '.shop-footer', '.backstage', '.page-head', 'main button'].map(isShown),
  ).toEqual([false, false, false, false, false])
  expect(SHEETS.map(name => isShown(`[data-sheet="${name}"] h2`))).toEqual([true, true])
})
