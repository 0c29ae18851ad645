import { focusManager, QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import { StrictMode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDefaultJournal } from '../intents/default-journal.ts'
import { createMemoryJournal } from '../intents/memory-journal.ts'
import { browserTabs } from '../testing-support/browser-tabs.ts'
import { installFakeTime } from '../testing-support/conversation.ts'
import { ORDER, openPage, SUBJECT, UNKNOWN } from '../testing-support/payment-page.tsx'
import { advanceRendered, renderHookWithClient } from '../testing-support/render-with-client.tsx'
import { OFFLINE, PAID, startPayments } from '../testing-support/scripted-mutation.ts'
import { useIdempotentMutation } from './use-idempotent-mutation.ts'

installFakeTime()
afterEach(() => vi.unstubAllGlobals())

function Pay({ options }: { options: ReturnType<typeof startPayments>['named'] }) {
  const pay = useIdempotentMutation({ ...options, subject: SUBJECT })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        pay.mutate(ORDER)
      }}
    >
      <p>{pay.intent.state}</p>
      <button type="button" onClick={() => pay.mutate(ORDER)}>
        Pay
      </button>
    </form>
  )
}

describe("useIdempotentMutation's intent", () => {
  it('follows an intent from nothing to its success', async () => {
    const { clock, page, sends } = openPage([{ answers: { receipt: 1 }, afterMs: 100 }])
    expect(page.current.intent.state).toBe('loading')
    await advanceRendered(0)
    expect(page.current.intent).toEqual({ state: 'none' })
    const nowEpochMs = clock.epochMs()
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1)
    expect(page.current.intent).toMatchObject({
      state: 'sending',
      key: sends[0]?.key,
      since: nowEpochMs,
      willResendUntil: nowEpochMs + 300_000,
    })
    expect(page.current.isPending).toBe(true)
    await advanceRendered(1_000)
    expect(page.current.intent).toMatchObject({ state: 'succeeded', result: { receipt: 1 } })
    expect(page.current.data).toEqual({ receipt: 1 })
  })

  it('waits, and is unknown when the attempts have ended', async () => {
    const { page } = openPage([OFFLINE])
    act(() => page.current.mutate(ORDER))
    await advanceRendered(100)
    expect(page.current.intent.state).toBe('waiting')
    await advanceRendered(10_000)
    expect(page.current.intent).toMatchObject({ state: 'unknown', reason: 'network' })
    expect(page.current.isError).toBe(true)
  })

  it('is expired once it is too late to send the key again, as whoever comes back to the page sees', async () => {
    const { page } = openPage([OFFLINE])
    act(() => page.current.mutate(ORDER))
    const comeBack = async () => {
      act(() => focusManager.setFocused(false))
      act(() => focusManager.setFocused(true))
      await advanceRendered(0)
      return page.current.intent.state
    }
    await advanceRendered(299_000)
    expect(await comeBack()).toBe('unknown')
    await advanceRendered(2_000)
    expect(await comeBack()).toBe('expired')
  })

  it('is derived from the latest variables where no `subject` is given, and survives `reset()`', async () => {
    const { page } = openPage([UNKNOWN], { subject: undefined })
    await advanceRendered(0)
    expect(page.current.intent).toEqual({ state: 'none' })
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    expect(page.current.intent.state).toBe('unknown')
    act(() => page.current.reset())
    await advanceRendered(1_000)
    expect(page.current.status).toBe('idle')
    expect(page.current.intent.state).toBe('unknown')
  })

  it('is none while the subject cannot be named yet', async () => {
    const { page } = openPage([PAID], { subject: ['order', ''] })
    await advanceRendered(0)
    expect(page.current.intent).toEqual({ state: 'none' })
  })

  it('survives the unmount of its page, which does not stop the attempt', async () => {
    const { open, page, sends, unmount } = openPage([OFFLINE, PAID])
    act(() => page.current.mutate(ORDER))
    await advanceRendered(100)
    unmount()
    await advanceRendered(10_000)
    expect(sends).toHaveLength(2)
    const { result } = open()
    await advanceRendered(0)
    expect(result.current.intent).toMatchObject({ state: 'succeeded', result: { receipt: 1 } })
  })

  it('is known after a reload, and the attempt of the page that is gone is unknown, not under way', async () => {
    const browser = browserTabs()
    const firstTab = browser.openTab()
    const first = openPage(['hang', PAID], {
      journal: createDefaultJournal({ globals: firstTab }),
    })
    await advanceRendered(10)
    act(() => first.page.current.mutate(ORDER))
    await advanceRendered(100)
    first.unmount()
    // As if the browser were slow to let go of it.
    setTimeout(firstTab.close, 1_000)
    const journal = createDefaultJournal({ globals: browser.openTab() })
    const { result } = renderHookWithClient(first.client, () =>
      useIdempotentMutation({ ...first.options, journal }),
    )
    await advanceRendered(10)
    expect(result.current.intent.state).toBe('sending')
    await advanceRendered(1_000)
    expect(result.current.intent.state).toBe('unknown')
    act(() => result.current.mutate(ORDER))
    await advanceRendered(100)
    expect(result.current.data).toEqual({ receipt: 1 })
    expect(first.keys()).toHaveLength(1)
  })

  it('follows what another tab does', async () => {
    const browser = browserTabs()
    const here = createDefaultJournal({ globals: browser.openTab() })
    const there = createDefaultJournal({ globals: browser.openTab() })
    const { page, submit } = openPage([PAID], { journal: here })
    await advanceRendered(10)
    submit(ORDER, { journal: there })
    await advanceRendered(1_000)
    expect(page.current.status).toBe('idle')
    expect(page.current.intent).toMatchObject({ state: 'succeeded', result: { receipt: 1 } })
  })

  it('is the same for two components', async () => {
    const { open, page, sends } = openPage([{ answers: { receipt: 1 }, afterMs: 100 }])
    const { result: other } = open()
    await advanceRendered(0)
    act(() => {
      page.current.mutate(ORDER)
      other.current.mutate(ORDER)
    })
    await advanceRendered(1_000)
    expect(sends).toHaveLength(1)
    expect(other.current.data).toEqual({ receipt: 1 })
    expect(other.current.intent).toEqual(page.current.intent)
  })

  it('does not render for ever where each render brings another journal', async () => {
    const { client, named } = startPayments([PAID])
    let renders = 0
    const { result } = renderHookWithClient(client, () => {
      renders++
      return useIdempotentMutation({ ...named, journal: createMemoryJournal(), subject: SUBJECT })
    })
    act(() => result.current.mutate(ORDER))
    await advanceRendered(1_000)
    expect(result.current.data).toEqual({ receipt: 1 })
    expect(renders).toBeLessThan(10)
  })

  it('keeps showing what is true where the journal cannot be read', async () => {
    const onError = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { journal, named } = startPayments([])
    const broken = { ...journal, read: () => Promise.reject(new Error('damaged')) }
    const { page } = openPage([PAID], { ...named, journal: broken })
    await advanceRendered(0)
    expect(page.current.intent.state).toBe('loading')
    expect(onError).toHaveBeenCalled()
  })
})

describe('useIdempotentMutation in a page', () => {
  it('sends one request for a double click, and for Enter and a click in one frame', async () => {
    const { client, named, sends } = startPayments([{ answers: { receipt: 1 }, afterMs: 50 }])
    render(
      <StrictMode>
        <QueryClientProvider client={client}>
          <Pay options={named} />
        </QueryClientProvider>
      </StrictMode>,
    )
    const button = screen.getByRole('button')
    act(() => {
      button.click()
      button.click()
      button.closest('form')?.requestSubmit()
    })
    await advanceRendered(1_000)
    expect(sends).toHaveLength(1)
    expect(screen.getByText('succeeded')).toBeTruthy()
  })

  it('gives actions whose identity is stable over renders', async () => {
    const { page } = openPage([PAID])
    await advanceRendered(0)
    const { fence, resolve, startOver } = page.current
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    expect(page.current.resolve).toBe(resolve)
    expect(page.current.fence).toBe(fence)
    expect(page.current.startOver).toBe(startOver)
  })

  it('touches no storage on a server, and hydrates without a mismatch', async () => {
    const { client, named } = startPayments([PAID])
    const touched = vi.fn()
    const journal = new Proxy(named.journal, {
      get(target, name) {
        touched()
        return target[name as keyof typeof target]
      },
    })
    const app = (
      <QueryClientProvider client={client}>
        <Pay options={{ ...named, journal }} />
      </QueryClientProvider>
    )
    const html = renderToString(app)
    expect(html).toContain('<p>loading</p>')
    expect(touched).not.toHaveBeenCalled()
    const container = document.body.appendChild(document.createElement('div'))
    container.innerHTML = html
    const onRecoverableError = vi.fn()
    const root = await act(async () => hydrateRoot(container, app, { onRecoverableError }))
    await advanceRendered(1)
    expect(container.textContent).toBe('nonePay')
    expect(onRecoverableError).not.toHaveBeenCalled()
    await act(async () => root.unmount())
    container.remove()
  })

  it('leaves no timer behind when it is unmounted', async () => {
    // TanStack's own timer aside.
    const { page, unmount } = openPage([UNKNOWN], { gcTime: Infinity })
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    unmount()
    expect(vi.getTimerCount()).toBe(0)
  })
})
