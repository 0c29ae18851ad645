import { createRetryPolicy } from '@query-retry/core'
import { COMPARED_POLICIES, type HerdOptions, simulateHerd } from '@query-retry/lab'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { en } from '../language/messages.en.ts'
import { ko } from '../language/messages.ko.ts'
import { violations } from '../testing/axe.ts'
import { setColours } from '../testing/browser.ts'
import { openShop } from '../testing/open-shop.tsx'
import { isBusy, openStorm, settled, side } from './open-storm.tsx'
import { STOPS } from './slider-stops.ts'
import { readLink, writeLink } from './storm-link.ts'
import { DEFAULT_SETTINGS } from './storm-settings.ts'

const slider = (name: string) => page.getByRole('slider', { name })
const policy = (name: string) => page.getByRole('combobox', { name })
const verdict = () => document.querySelector('.storm__verdict')?.textContent

function named(name: string): Pick<HerdOptions, 'policy' | 'budget'> {
  const found = COMPARED_POLICIES.find(each => each.name === name)
  if (!found) throw new Error(`no policy ${name}`)
  return { policy: found.policy, budget: found.budget }
}

/** The herd of the page as it opens. */
const README = { clients: 4_200, capacityPerSlot: 42, slotMs: 100, seed: 1 }

function expectFigures(index: 0 | 1, options: HerdOptions) {
  const result = simulateHerd(options)
  const count = (number: number) => number.toLocaleString('en')
  const seconds = (ms: number | undefined) =>
    ms === undefined ? 'never' : `${Math.round(ms / 100) / 10} s`
  const { figure } = side(index)
  expect({
    totalCalls: figure('totalCalls'),
    peak: figure('peak'),
    served: figure('served'),
    half: figure('half'),
    all: figure('all'),
    gaveUp: figure('gaveUp'),
    longestWait: figure('longestWait'),
  }).toEqual({
    totalCalls: count(result.totalCalls),
    peak: count(result.peakRetriesPerSlot),
    served: count(result.served),
    half: seconds(result.p50ServedAtMs),
    all: seconds(result.allServedAtMs),
    gaveUp: result.gaveUp === 0 ? 'nobody' : count(result.gaveUp),
    longestWait: seconds(result.longestWaitMs),
  })
  return result
}

/** So slow that no test would wait for its end: nobody is served, and everybody asks until the end of time. */
const ENDLESS = '?clients=100000&capacity=10&outage=10m&policy=retry-after-exact,retry-after-exact'

describe('the figures', () => {
  test('are those of simulateHerd, without a link for the herd of the README', async () => {
    await openStorm()
    await settled()
    expectFigures(0, { ...README, ...named('tanstack') })
    expectFigures(1, { ...README, ...named('preset') })
    expect(side(0).details('gaveUp')).toEqual(['no retries left'])
    expect(verdict()).toMatch(/4,158 .* 649 .*: 6.4 to 1\. .* 168 and 3,934 are served/)
  })

  test('are those of simulateHerd for the settings in the link', async () => {
    await openStorm(
      '?clients=1500&capacity=300&outage=4s&retry-after=7s&policy=decorrelated,preset',
    )
    await settled()
    const herd = { clients: 1_500, capacityPerSlot: 30, slotMs: 100, seed: 1 }
    const server = { outageMs: 4_000, retryAfterMs: 7_000 }
    expectFigures(0, { ...herd, ...server, ...named('decorrelated') })
    const { totalCalls } = expectFigures(1, { ...herd, ...server, ...named('preset') })
    const [least] = side(1).details('totalCalls')
    expect(least).toBe(
      `${Math.round((totalCalls / 1_500) * 10) / 10} times the least possible, 1,500`,
    )
  })

  test('are those of simulateHerd for one’s own settings of the preset', async () => {
    await openStorm('?policy=yours,preset&outage=30s&retries=7&cap=20s&deadline=90s&jitter=equal')
    await settled()
    const own = { maxRetries: 7, capMs: 20_000, deadlineMs: 90_000, jitter: 'equal' } as const
    expectFigures(0, { ...README, outageMs: 30_000, policy: createRetryPolicy(own) })
    await expect.element(slider('Retries')).toHaveAttribute('aria-valuetext', '7')
    await expect.element(policy('Jitter')).toHaveValue('equal')
  })

  test('say why clients gave up, each reason with its number where there are several', async () => {
    await openStorm('?clients=5000&capacity=150&outage=4s&retry-after=5s&policy=preset,fixed')
    await settled()
    const { gaveUpBecause } = simulateHerd({
      clients: 5_000,
      capacityPerSlot: 15,
      slotMs: 100,
      outageMs: 4_000,
      retryAfterMs: 5_000,
      seed: 1,
      ...named('preset'),
    })
    const count = (clients = 0) => clients.toLocaleString('en')
    expect(side(0).details('gaveUp')).toEqual([
      `${count(gaveUpBecause.deadline)}: no time left`,
      `${count(gaveUpBecause['server-wait-too-long'])}: asked to wait for longer than there is time`,
      `${count(gaveUpBecause['retries-exhausted'])}: no retries left`,
    ])
  })
})

describe('the curves', () => {
  test('have one scale, in calls and in time', async () => {
    await openStorm()
    await settled()
    expect(side(0).scale()).toBe('1,0002,0003,0004,000')
    expect(side(1).scale()).toBe(side(0).scale())
    expect(side(1).times()).toBe(side(0).times())
    expect(side(1).curve()).not.toBe(side(0).curve())
  })

  test('are told in a sentence to those who do not see them', async () => {
    await openStorm()
    await settled()
    await expect
      .element(page.getByRole('img', { name: 'Calls in each 100 ms over time: The preset' }))
      .toHaveAccessibleDescription(
        'All 4,200 clients call at the start. Their retries peak 1 s later with 649 in 100 ms, 15 times what the server takes. The last call comes after 13.6 s.',
      )
  })

  test('stand side by side, and one below the other on a phone of 320 px, which nothing overflows', async () => {
    await openStorm('?policy=yours,retry-after-plus-spread&clients=-1')
    await settled()
    expect(side(1).box().top).toBe(side(0).box().top)
    await page.viewport(320, 640)
    expect(side(1).box().top).toBeGreaterThan(side(0).box().bottom)
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320)
    const small = [...document.querySelectorAll('main :is(button, select, input)')]
      .filter(control => control.getBoundingClientRect().height < 44)
      .map(control => control.outerHTML)
    expect(small).toEqual([])
  })
})

describe('the link', () => {
  test('follows a slider that is moved by keyboard, and so do curves and figures; the focus stays', async () => {
    const { browser } = await openStorm('?clients=4200')
    await settled()
    const before = [side(0).curve(), side(1).curve()]
    slider('Clients').element().focus()
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(slider('Clients')).toHaveAttribute('aria-valuetext', '4,400')
    await expect.poll(() => browser.address).toMatch(/^\/storm\?clients=4400&capacity=420&/)
    await settled()
    await expect.element(slider('Clients')).toHaveFocus()
    expectFigures(0, { ...README, clients: 4_400, ...named('tanstack') })
    expectFigures(1, { ...README, clients: 4_400, ...named('preset') })
    expect([side(0).curve(), side(1).curve()]).not.toEqual(before)
  })

  test('leads back by one step for all that was done to one slider', async () => {
    const { browser } = await openStorm()
    await settled()
    const before = [side(0).curve(), side(1).curve()]
    slider('Clients').element().focus()
    await userEvent.keyboard('{ArrowRight}{ArrowRight}{ArrowRight}')
    await expect.poll(() => browser.address).toContain('clients=4800')
    await userEvent.keyboard('{ArrowLeft}')
    await expect.poll(() => browser.address).toContain('clients=4600')
    slider('Outage').element().focus()
    await userEvent.keyboard('{ArrowRight}')
    await expect.poll(() => browser.address).toContain('clients=4600&capacity=420&outage=1s')

    browser.goBack()
    await expect.element(slider('Outage')).toHaveAttribute('aria-valuetext', 'none')
    await expect.element(slider('Clients')).toHaveAttribute('aria-valuetext', '4,600')
    browser.goBack()
    await expect.element(slider('Clients')).toHaveAttribute('aria-valuetext', '4,200')
    await settled()
    expect([side(0).curve(), side(1).curve()]).toEqual(before)
    expect(browser.address).toBe('/storm')
  })

  test('restores everything when the page is loaded again', async () => {
    const { browser, screen } = await openStorm()
    await settled()
    await policy('First policy').selectOptions('Exponential')
    await policy('Second policy').selectOptions('The preset, your settings')
    await policy('Jitter').selectOptions('decorrelated')
    for (const name of ['Server takes', 'Outage', 'Retry-After', 'Retries', 'Deadline']) {
      slider(name).element().focus()
      await userEvent.keyboard('{ArrowRight}')
    }
    await expect
      .poll(() => browser.address)
      .toBe(
        '/storm?clients=4200&capacity=440&outage=1s&retry-after=1s&policy=exponential,yours&retries=5&cap=8s&deadline=45s&jitter=decorrelated',
      )
    await settled()
    const shown = () => [
      ...[...document.querySelectorAll<HTMLInputElement>('main :is(input, select)')].map(
        ({ value }) => value,
      ),
      document.querySelector('.storm')?.textContent,
    ]
    const before = shown()
    expect(before).toContain('decorrelated')
    const link = browser.address.replace('/storm', '')
    await screen.unmount()

    await openStorm(link)
    await settled()
    expect(shown()).toEqual(before)
  })

  test('takes nonsense for what is shown in its place, and says so until something is changed', async () => {
    const nonsense = {
      clients: '-5',
      capacity: '1e3',
      outage: 'soon',
      'retry-after': '61s',
      policy: 'preset,preset,preset',
      retries: '2.5',
      cap: '',
      deadline: `${'9'.repeat(5_000)}s`,
      jitter: '<b>full</b>',
    }
    await openStorm(`?${new URLSearchParams(nonsense)}&clients=77&utm_source=mail`)
    await settled()
    expectFigures(0, { ...README, ...named('tanstack') })
    expectFigures(1, { ...README, ...named('preset') })
    const problems = [...document.querySelectorAll('[role="alert"] li')].map(
      ({ textContent }) => textContent,
    )
    expect(problems).toEqual([
      'clients=-5 is read as 4200 (possible: 100 to 100000)',
      'capacity=1e3 is read as 420 (possible: 10 to 10000)',
      'outage=soon is read as 0s (possible: 0s to 600s)',
      'retry-after=61s is read as none (possible: 0s to 60s)',
      'policy=preset,preset,preset is read as tanstack,preset',
      'retries=2.5 is read as 4 (possible: 0 to 10)',
      'cap= is read as 8s (possible: 1s to 60s)',
      `deadline=${'9'.repeat(24)}… is read as 30s (possible: 5s to 600s)`,
      'jitter=<b>full</b> is read as full',
    ])

    slider('Clients').element().focus()
    await userEvent.keyboard('{ArrowLeft}')
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  test('carries every value that a slider can have', () => {
    const lost = (Object.keys(STOPS) as (keyof typeof STOPS)[]).flatMap(key =>
      STOPS[key].filter(stop => {
        const settings = { ...DEFAULT_SETTINGS, policies: ['yours', 'yours'], [key]: stop } as const
        const read = readLink(writeLink(settings))
        return read.settings[key] !== stop || read.problems.length > 0
      }),
    )
    expect(lost).toEqual([])
    expect(STOPS.clients).toContain(DEFAULT_SETTINGS.clients)
    expect(STOPS.clients.at(-1)).toBe(100_000)
  })

  test('keeps a value between two stops of a slider', async () => {
    await openStorm('?clients=4321&outage=2500ms')
    await settled()
    await expect.element(slider('Clients')).toHaveAttribute('aria-valuetext', '4,321')
    expectFigures(0, { ...README, clients: 4_321, outageMs: 2_500, ...named('tanstack') })
    slider('Clients').element().focus()
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(slider('Clients')).toHaveAttribute('aria-valuetext', '4,600')
  })

  test('is copied by a button, which admits where the browser forbids it', async () => {
    const copy = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValueOnce()
    copy.mockRejectedValueOnce(new DOMException('no', 'NotAllowedError'))
    onTestFinished(() => copy.mockRestore())
    await openStorm('?clients=300')
    const button = page.getByRole('button', { name: 'Copy link' })
    await button.click()
    await expect.element(page.getByText('Copied.')).toBeVisible()
    expect(copy).toHaveBeenCalledWith(
      `${location.origin}/storm?clients=300&capacity=420&outage=0s&retry-after=none&policy=tanstack,preset`,
    )
    await button.click()
    await expect.element(page.getByText('did not let us copy')).toBeVisible()
  })
})

describe('the worker', () => {
  test('simulates 100,000 clients while the page goes on drawing', async () => {
    await openStorm('?clients=100000&capacity=1000&outage=60s&policy=preset,decorrelated')
    await expect.poll(isBusy).toBe('true')
    let frames = 0
    const count = () => {
      if (isBusy() !== 'true') return
      frames++
      requestAnimationFrame(count)
    }
    requestAnimationFrame(count)
    await settled()
    expect(side(0).figure('totalCalls')).toBe('500,000')
    // On the page's own thread there would be one before and one after.
    expect(frames).toBeGreaterThan(5)
  })

  test('shows how far a long simulation is, and is replaced when the settings change', async () => {
    const terminate = vi.spyOn(Worker.prototype, 'terminate')
    onTestFinished(() => terminate.mockRestore())
    await openStorm(ENDLESS)
    await expect.element(page.getByRole('progressbar', { name: 'Simulating' })).toBeVisible()
    expect(isBusy()).toBe('true')
    expect(terminate).not.toHaveBeenCalled()

    slider('Outage').element().focus()
    await userEvent.keyboard('{Home}')
    slider('Clients').element().focus()
    await userEvent.keyboard('{Home}')
    await settled()
    expect(terminate).toHaveBeenCalled()
    const herd = { clients: 100, capacityPerSlot: 1, slotMs: 100, seed: 1 }
    expectFigures(0, { ...herd, ...named('retry-after-exact') })
    await expect.element(page.getByRole('progressbar')).not.toBeInTheDocument()
  })

  test('ends with the page', async () => {
    const terminate = vi.spyOn(Worker.prototype, 'terminate')
    onTestFinished(() => terminate.mockRestore())
    await openStorm(ENDLESS)
    await expect.poll(isBusy).toBe('true')
    await page.getByRole('link', { name: 'Orders' }).click()
    await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('Your orders')
    await expect.poll(() => terminate.mock.calls.length).toBe(1)
  })

  test('that fails is told of, and the next settings are tried in another', async () => {
    const post = vi.spyOn(Worker.prototype, 'postMessage')
    onTestFinished(() => post.mockRestore())
    // What it cannot know what to do with.
    post.mockImplementationOnce(function (this: Worker) {
      this.postMessage({ policies: ['nobody', 'nobody'] })
    })
    await openStorm()
    await expect.poll(verdict).toContain('stopped with an error')
    expect(isBusy()).toBe('false')
    slider('Clients').element().focus()
    await userEvent.keyboard('{ArrowRight}')
    await expect.poll(() => side(0).figure('peak')).toBe('4,358')
    expect(verdict()).toContain('The worst 100 ms')
  })
})

describe.each(['light', 'dark'] as const)('in %s colours', scheme => {
  test.each(['en', 'ko'] as const)('axe finds nothing in %s, nor on a phone', async language => {
    await setColours(scheme)
    await openStorm('?policy=preset,yours&clients=0&outage=5s', language)
    await settled()
    expect(await violations()).toEqual([])
    await page.viewport(320, 640)
    expect(await violations()).toEqual([])
  })

  test('axe finds nothing while it simulates', async () => {
    await setColours(scheme)
    await openStorm(ENDLESS)
    await expect.element(page.getByRole('progressbar', { name: 'Simulating' })).toBeVisible()
    expect(await violations()).toEqual([])
  })
})

describe('in Korean', () => {
  test('the page is Korean, with the same figures', async () => {
    await openStorm('?clients=-1', 'ko')
    await settled()
    await expect
      .element(page.getByRole('heading', { level: 1 }))
      .toHaveTextContent('상점에 폭풍이 몰아치면')
    expect(verdict()).toBe(
      '재시도가 가장 몰린 100ms 동안 ‘TanStack Query 기본값’ 쪽은 4,158건, ‘프리셋’ 쪽은 649건이에요(6.4 대 1). 클라이언트 4,200개 가운데 각각 168개, 3,934개가 응답을 받아요.',
    )
    expect(side(0).figure('longestWait')).toBe('7.4초')
    await expect
      .element(page.getByRole('alert'))
      .toHaveTextContent('clients=-1 대신 4200 (100부터 100000까지 쓸 수 있어요)')
    await expect.element(slider('서버 처리량')).toHaveAttribute('aria-valuetext', '초당 420건')
  })

  test('every policy of the lab has a name and a line, as in English', () => {
    for (const { name } of COMPARED_POLICIES) {
      expect(en.storm.policies[name]?.hint, name).toBeTruthy()
      expect(ko.storm.policies[name]?.hint, name).toMatch(/[가-힣]/)
    }
  })
})

test.each([
  ['en', 'Storm: simulate thousands of retries', 'A storm over the shop'],
  ['ko', '폭풍: 재시도 수천 건 시뮬레이션', '상점에 폭풍이 몰아치면'],
] as const)('the shop’s footer leads here, in %s', async (language, link, title) => {
  await openShop('/orders', { language })
  await page.getByRole('link', { name: link }).click()
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent(title)
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveFocus()
})
