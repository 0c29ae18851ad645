import { onlineManager, type QueryFunction, useQuery } from '@tanstack/react-query'
import { act, render, screen, within } from '@testing-library/react'
import axe from 'axe-core'
import { useLayoutEffect } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { useIdempotentMutation } from './mutations/use-idempotent-mutation.ts'
import { RetryNotice, type RetryNoticeProps } from './retry-notice.tsx'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  BUSY,
  installNoticeStage,
  MISSING,
  openStage,
  pass,
  type Reply,
  settle,
  startUser,
} from './testing-support/notice-stage.tsx'
import { startSlowPayments } from './testing-support/payment-notice.tsx'
import { renderWithClient } from './testing-support/render-with-client.tsx'
import { OFFLINE, PAID, problem } from './testing-support/scripted-mutation.ts'

installNoticeStage()

function Page({ queryFn, ...props }: RetryNoticeProps & { queryFn: QueryFunction }) {
  const query = useQuery({ queryKey: ['cart'], queryFn })
  return (
    <main>
      <h1>Cart</h1>
      <RetryNotice result={query} {...props} />
    </main>
  )
}

/** Hands on what the live region says in the first commit, before any effect. */
function FirstCommit({ onText }: { onText: (text: string | null) => void }) {
  useLayoutEffect(() => onText(screen.getByRole('status').textContent), [onText])
  return <RetryNotice queryKey={['cart']} />
}

/** A page with one query and its notice. */
function openPage(
  replies: Reply[],
  props: Partial<RetryNoticeProps> = {},
  options?: RetryPresetOptions,
) {
  const stage = openStage(options)
  const { queryFn, sends } = stage.replies(...replies)
  const page = (more: Partial<RetryNoticeProps>) => <Page queryFn={queryFn} {...props} {...more} />
  const { container, rerender, unmount } = render(page({}), { wrapper: stage.wrapper })
  const region = screen.getByRole('status')
  return {
    ...stage,
    sends,
    region,
    unmount,
    rerender: (more: Partial<RetryNoticeProps>) => rerender(page(more)),
    box: container.querySelector('[data-query-retry]') as HTMLElement,
    violations: () => violationsIn(container),
  }
}

/** What axe-core finds wrong. jsdom has no layout: colours are not looked at. */
async function violationsIn(container: HTMLElement) {
  // axe-core waits for turns of the real timer.
  vi.useRealTimers()
  const { violations } = await axe.run(container, {
    rules: { 'color-contrast': { enabled: false } },
  })
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

type Payments = ReturnType<typeof startSlowPayments>

function Till({ named, ...props }: RetryNoticeProps & Pick<Payments, 'named'>) {
  const pay = useIdempotentMutation(named)
  return (
    <main>
      <h1>Till</h1>
      <p>
        <button type="button" onClick={() => pay.mutate({ id: 'o1', amount: 12 })}>
          Pay
        </button>
      </p>
      <RetryNotice result={pay} {...props} />
    </main>
  )
}

/** A page on which somebody has clicked "Pay". */
async function openTill(
  scripts: Parameters<typeof startSlowPayments>[0],
  props: RetryNoticeProps = {},
) {
  const payments = startSlowPayments(scripts)
  const { container } = renderWithClient(
    payments.client,
    <Till named={payments.named} {...props} />,
  )
  await act(async () => button('Pay').click())
  await settle()
  return {
    ...payments,
    box: container.querySelector('[data-query-retry]') as HTMLElement,
    region: screen.getByRole('status'),
    violations: () => violationsIn(container),
  }
}

const button = (name: string) => screen.getByRole('button', { name })
const buttons = () => screen.queryAllByRole('button').map(({ textContent }) => textContent)

/** The texts that the region had, one after another. */
function recordAnnouncements(region: HTMLElement): string[] {
  const texts: string[] = []
  new MutationObserver(() => texts.push(region.textContent ?? '')).observe(region, {
    characterData: true,
    childList: true,
    subtree: true,
  })
  return texts
}

describe('<RetryNotice>', () => {
  it('shows nothing and takes no place while idle: an empty live region without class or style', async () => {
    const { box } = openPage([{ answers: 'data' }], { className: 'banner' })
    await settle()
    expect(box.outerHTML).toBe(
      '<div data-query-retry="" data-phase="idle" lang="en">' +
        '<div role="status" aria-live="polite" data-part="message"></div></div>',
    )
  })

  it('mounts the live region empty and fills it afterwards, also where the query waits already', async () => {
    const { client, wrapper, replies } = openStage()
    client.prefetchQuery({ queryKey: ['cart'], queryFn: replies(BUSY).queryFn })
    await settle()
    const first = vi.fn()
    render(<FirstCommit onText={first} />, { wrapper })
    expect(first.mock.calls).toEqual([['']])
    expect(screen.getByRole('status').textContent).toBe('The server is having trouble.')
  })

  it('announces once for each phase and never for a second of the countdown', async () => {
    const { region } = openPage([BUSY, { answers: 'data' }])
    const texts = recordAnnouncements(region)
    const seconds: unknown[] = []
    await settle()
    for (let second = 0; second < 5; second++) {
      seconds.push(screen.getByRole('timer').textContent)
      await pass(1_000)
    }
    await settle()
    expect(seconds).toEqual([5, 4, 3, 2, 1].map(left => `Next try in ${left} s`))
    expect(texts).toEqual(['The server is having trouble.', ''])
  })

  it('announces waiting, attempting and waiting again, with what went wrong this time', async () => {
    const { region } = openPage([BUSY, 'hang'], {}, { attemptTimeoutMs: 1_000 })
    const texts = recordAnnouncements(region)
    await settle()
    await pass(5_000)
    await pass(1_000)
    expect(texts).toEqual([
      'The server is having trouble.',
      'Trying again…',
      'The server is taking too long.',
    ])
  })

  it('keeps buttons and countdown outside the live region', async () => {
    const { region } = openPage([BUSY])
    await settle()
    expect(buttons()).toEqual(['Try now', 'Cancel'])
    expect(within(region).queryAllByRole('button')).toEqual([])
    expect(region.contains(screen.getByRole('timer'))).toBe(false)
  })

  it('is worked with the keyboard alone: Tab to "try now" and "cancel", Enter and Space', async () => {
    const user = startUser()
    const { sends } = openPage([BUSY])
    await settle()
    await user.tab()
    expect(document.activeElement).toBe(button('Try now'))
    await user.keyboard('{Enter}')
    await settle()
    expect(sends).toHaveLength(2)
    await user.tab()
    expect(document.activeElement).toBe(button('Cancel'))
    await user.keyboard(' ')
    await settle()
    expect(screen.getByRole('status').textContent).toBe('Stopped. Nothing more will be sent.')
    expect(buttons()).toEqual(['Try again'])
  })

  it('keeps the focus on "try now" through attempting and waiting, and on to "try again"', async () => {
    const user = startUser()
    const { box } = openPage([BUSY, 'hang'], {}, { attemptTimeoutMs: 1_000, maxRetries: 1 })
    await settle()
    await user.click(button('Try now'))
    await settle()
    const focused = button('Try now')
    expect(document.activeElement).toBe(focused)
    expect(box.dataset.phase).toBe('attempting')
    expect(focused.getAttribute('aria-disabled')).toBe('true')
    await pass(1_000)
    expect(box.dataset.phase).toBe('waiting')
    expect(focused.hasAttribute('aria-disabled')).toBe(false)
    await pass(6_001)
    expect(box.dataset.phase).toBe('stopped')
    expect(document.activeElement).toBe(focused)
    expect(focused.textContent).toBe('Try again')
  })

  it('moves the focus from "cancel", which goes, to "try again"', async () => {
    const user = startUser()
    openPage([BUSY])
    await settle()
    await user.click(button('Cancel'))
    await settle()
    expect(document.activeElement).toBe(button('Try again'))
  })

  it('sends one attempt for a double click on "try now"', async () => {
    const user = startUser()
    const { sends } = openPage([BUSY, 'hang'])
    await settle()
    await user.dblClick(button('Try now'))
    await settle()
    expect(sends).toHaveLength(2)
  })

  it('keeps "cancel" while paused after a failure, and has no button on a cold offline start', async () => {
    onlineManager.setOnline(false)
    const { region, unmount } = openPage([BUSY])
    await settle()
    expect(region.textContent).toBe('You are offline. This continues once you are back online.')
    expect(buttons()).toEqual([])
    unmount()
    onlineManager.setOnline(true)
    openPage([BUSY])
    await settle()
    onlineManager.setOnline(false)
    await pass(5_000)
    expect(buttons()).toEqual(['Try now', 'Cancel'])
    expect(button('Try now').getAttribute('aria-disabled')).toBe('true')
  })

  it('offers no "try again" after a 404, and does after a 500 and a sign-in that ran out', async () => {
    const tries: [Reply, string[]][] = [
      [MISSING, []],
      [{ fails: { status: 500 } }, ['Try again']],
      [{ fails: { status: 401 } }, ['Try again']],
    ]
    for (const [reply, expected] of tries) {
      const { unmount } = openPage([reply])
      await settle()
      expect(buttons()).toEqual(expected)
      unmount()
    }
  })

  it('replaces single texts with messages, and then claims no language', async () => {
    const { box } = openPage([BUSY], {
      messages: {
        tryNow: 'Once more',
        waiting: ({ failureCount, reason }) => `${reason}, ${failureCount}`,
      },
    })
    await settle()
    expect(screen.getByRole('status').textContent).toBe('http-503, 1')
    expect(buttons()).toEqual(['Once more', 'Cancel'])
    expect(box.hasAttribute('lang')).toBe(false)
  })

  it('speaks Korean with language="ko", says so to screen readers, and changes when it changes', async () => {
    const { box, region, rerender } = openPage([BUSY], { language: 'ko' })
    await settle()
    expect(region.textContent).toBe('서버에 문제가 생겼어요.')
    expect(screen.getByRole('timer').textContent).toBe('5초 뒤에 다시 시도해요')
    expect(buttons()).toEqual(['지금 시도', '취소'])
    expect(box.lang).toBe('ko')
    rerender({ language: 'en' })
    expect(region.textContent).toBe('The server is having trouble.')
  })

  it.each([
    ['ko-KR', 'ko'],
    ['KO', 'ko'],
    ['en-GB', 'en'],
    ['de', 'en'],
    ['kok', 'en'],
    ['', 'en'],
  ])('takes what navigator.language says: %o is %s', async (language, spoken) => {
    const { box, region } = openPage([BUSY], { language })
    await settle()
    expect(region.textContent).not.toBe('')
    expect(box.lang).toBe(spoken)
  })

  it('carries className and data-phase on its outermost element', async () => {
    const { box } = openPage([BUSY], { className: 'banner' })
    await settle()
    expect(box.className).toBe('banner')
    expect(box.dataset.phase).toBe('waiting')
  })

  it('is one notice for everything the client waits for without result and queryKey', async () => {
    const { client, wrapper, replies } = openStage()
    render(<RetryNotice />, { wrapper })
    const { queryFn, sends } = replies(BUSY)
    for (let id = 0; id < 3; id++) client.prefetchQuery({ queryKey: [id], queryFn })
    await settle()
    expect(buttons()).toEqual(['Try now', 'Cancel'])
    await act(async () => button('Try now').click())
    await settle()
    expect(sends).toHaveLength(6)
  })

  const phases: [string, Reply[], number][] = [
    ['idle', ['hang'], 1],
    ['waiting', [BUSY], 1],
    ['attempting', [BUSY, 'hang'], 5_001],
    ['stopped', [MISSING], 1],
    ['stopped', [{ fails: { status: 500 } }], 1],
  ]
  it.each(phases)('passes axe-core while %s', async (phase, replies, afterMs) => {
    const { box, violations } = openPage(replies)
    await pass(afterMs)
    expect(box.dataset.phase).toBe(phase)
    expect(await violations()).toEqual([])
  })

  it('passes axe-core while paused', async () => {
    const { box, violations } = openPage([BUSY])
    await settle()
    onlineManager.setOnline(false)
    await pass(5_000)
    expect(box.dataset.phase).toBe('paused')
    expect(await violations()).toEqual([])
  })
})

describe('<RetryNotice> of a mutation', () => {
  it('counts down to the retry with "cancel" alone, and announces each phase once', async () => {
    const { region } = await openTill([OFFLINE, { answers: 'receipt', afterMs: 1_000 }])
    expect(region.textContent).toBe('Cannot reach the server.')
    expect(screen.getByRole('timer').textContent).toBe('Next try in 5 s')
    expect(buttons()).toEqual(['Pay', 'Cancel'])
    const texts = recordAnnouncements(region)
    await pass(4_000)
    expect(texts).toEqual([])
    await pass(1_000)
    expect(texts).toEqual(['Trying again…'])
    await pass(1_000)
    expect(texts).toEqual(['Trying again…', ''])
    expect(buttons()).toEqual(['Pay'])
  })

  it('says after the end that nobody knows whether it went through, and offers nothing to press', async () => {
    const { box, region } = await openTill([OFFLINE])
    await pass(5_001)
    expect(box.dataset.phase).toBe('stopped')
    expect(region.textContent).toMatch(/It is not known whether this went through\./)
    expect(buttons()).toEqual(['Pay'])
  })

  it('announces a request in progress once, however often it is asked for', async () => {
    const running = problem(409, 'request-in-progress', { 'retry-after': '1' }) as {
      fails: unknown
    }
    const { region } = await openTill([{ ...running, afterMs: 50 }])
    const texts = recordAnnouncements(region)
    await pass(30_000)
    expect(texts).toEqual(['This is taking longer than usual.'])
  })

  it('keeps the focus on "cancel" while an attempt is under way, which takes nothing back', async () => {
    const user = startUser()
    const running = problem(409, 'request-in-progress') as { fails: unknown }
    const { box } = await openTill([running, { ...running, afterMs: 1_000 }])
    await user.tab()
    await user.tab()
    const cancel = button('Cancel')
    expect(document.activeElement).toBe(cancel)
    await pass(5_000)
    expect(box.dataset.phase).toBe('attempting')
    expect(cancel.getAttribute('aria-disabled')).toBe('true')
    await user.keyboard('{Enter}')
    await pass(1_000)
    expect(box.dataset.phase).toBe('waiting')
    expect(document.activeElement).toBe(cancel)
    expect(cancel.hasAttribute('aria-disabled')).toBe(false)
  })

  it('moves the focus from "cancel", which goes, to what it then says', async () => {
    const user = startUser()
    const { region, sends } = await openTill([OFFLINE, PAID])
    await user.click(button('Cancel'))
    await settle()
    expect(region.textContent).toMatch(/^Stopped\. Nothing more will be sent\./)
    expect(document.activeElement).toBe(region)
    await pass(60_000)
    expect(sends).toHaveLength(1)
  })

  it('speaks Korean, and takes texts of your own', async () => {
    const { region } = await openTill([problem(402, 'payment-declined')], {
      language: 'ko',
      messages: { stopped: ({ effect, isMutation }) => `${effect} ${isMutation}` },
    })
    expect(region.textContent).toBe('rejected true')
  })

  it.each<[string, Parameters<typeof openTill>[0], number]>([
    ['waiting', [OFFLINE], 1],
    ['attempting', [OFFLINE, 'hang'], 5_001],
    ['stopped', [OFFLINE], 5_001],
  ])('passes axe-core while %s', async (phase, scripts, afterMs) => {
    const { box, violations } = await openTill(scripts)
    await pass(afterMs)
    expect(box.dataset.phase).toBe(phase)
    expect(await violations()).toEqual([])
  })

  it('passes axe-core after "cancel"', async () => {
    const { violations } = await openTill([OFFLINE])
    await act(async () => button('Cancel').click())
    await settle()
    expect(await violations()).toEqual([])
  })
})
