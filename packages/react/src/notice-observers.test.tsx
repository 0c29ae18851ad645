import { onlineManager, useMutation, useQuery } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { StrictMode, useEffect } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { useIdempotentMutation } from './mutations/use-idempotent-mutation.ts'
import {
  BUSY,
  installNoticeStage,
  openStage,
  pass,
  settle,
} from './testing-support/notice-stage.tsx'
import { openPaymentNotice, startSlowPayments } from './testing-support/payment-notice.tsx'
import { renderHookWithClient, withClient } from './testing-support/render-with-client.tsx'
import { OFFLINE, type Order, PAID } from './testing-support/scripted-mutation.ts'
import { useRetryNotice } from './use-retry-notice.ts'

installNoticeStage()
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})

const SHARED = new TypeError('Failed to fetch')
const ORDER: Order = { id: 'o1', amount: 12 }

/** Pays under a key, and saves without one: both fail with one error, as behind a shared token refresh. */
function useTwins({ named }: ReturnType<typeof startSlowPayments>) {
  const pay = useIdempotentMutation(named)
  const save = useMutation<unknown, Error, Order>({ mutationFn: () => Promise.reject(SHARED) })
  return { pay, save }
}

describe('useRetryNotice of a mutation', () => {
  it('tells two hooks apart that sent the same at once and failed with one error object', async () => {
    const payments = startSlowPayments([{ fails: SHARED }])
    const { result } = renderHookWithClient(payments.client, () => {
      const { pay, save } = useTwins(payments)
      return { pay, save, notices: [useRetryNotice(pay), useRetryNotice(save)] }
    })
    act(() => {
      result.current.save.mutate(ORDER)
      result.current.pay.mutate(ORDER)
    })
    await settle()
    expect(result.current.notices).toMatchObject([
      { phase: 'waiting', secondsLeft: 5 },
      { phase: 'stopped', stopReason: 'no-stable-key' },
    ])
  })

  it('tells two mutations apart whose states are the same in everything', async () => {
    const { client } = startSlowPayments([])
    const { result } = renderHookWithClient(client, () => {
      const options = { mutationFn: (_: Order) => Promise.reject(SHARED) }
      const guarded = useMutation(options)
      const own = useMutation({ ...options, retry: false })
      return { guarded, own, notices: [useRetryNotice(guarded), useRetryNotice(own)] }
    })
    act(() => {
      result.current.own.mutate(ORDER)
      result.current.guarded.mutate(ORDER)
    })
    await settle()
    const [first, second] = client.getMutationCache().getAll()
    expect(first?.state).toEqual(second?.state)
    expect(result.current.notices).toMatchObject([
      { phase: 'stopped', stopReason: 'no-stable-key' },
      { phase: 'stopped', stopReason: 'disabled' },
    ])
  })

  it('finds a mutation that began before the notice was mounted, and follows its hook from there', async () => {
    const payments = startSlowPayments([OFFLINE, 'hang'])
    const { result, rerender } = renderHook(
      ({ isOpen }) => {
        const pay = useIdempotentMutation(payments.named)
        return { pay, notice: useRetryNotice(isOpen ? pay : { queryKey: ['none'] }) }
      },
      { wrapper: withClient(payments.client), initialProps: { isOpen: false } },
    )
    act(() => result.current.pay.mutate(ORDER))
    await pass(2_000)
    rerender({ isOpen: true })
    expect(result.current.notice).toMatchObject({ phase: 'waiting', secondsLeft: 3 })
    act(() => result.current.pay.reset())
    await settle()
    expect(result.current.notice.phase).toBe('idle')
  })

  it('gives two mutations that are alike in everything to one hook each, where it comes late to both', async () => {
    const payments = startSlowPayments(['hang'])
    const { result, rerender } = renderHook(
      ({ isOpen }) => {
        const { save } = useTwins(payments)
        const other = useTwins(payments).save
        const none = { queryKey: ['none'] }
        const notices = [
          useRetryNotice(isOpen ? save : none),
          useRetryNotice(isOpen ? other : none),
        ]
        return { save, other, notices }
      },
      { wrapper: withClient(payments.client), initialProps: { isOpen: false } },
    )
    act(() => {
      result.current.save.mutate(ORDER)
      result.current.other.mutate(ORDER)
    })
    await settle()
    rerender({ isOpen: true })
    act(() => result.current.other.reset())
    await settle()
    expect(result.current.notices.map(({ phase }) => phase)).toEqual(['stopped', 'idle'])
  })

  it('follows what its hook sends next, and is idle after reset', async () => {
    const { notice, page, pay } = openPaymentNotice([OFFLINE, OFFLINE, OFFLINE, 'hang'])
    await pay()
    await pass(5_001)
    expect(notice().phase).toBe('stopped')
    await pay()
    expect(notice()).toMatchObject({ phase: 'waiting', failureCount: 1 })
    act(() => page.current.pay.reset())
    await settle()
    expect(notice().phase).toBe('idle')
    await pass(60_000)
    expect(notice().phase).toBe('idle')
  })

  it('is idle in a hook that was mounted anew: that has sent nothing', async () => {
    const { open, pay, unmount } = openPaymentNotice([OFFLINE])
    await pay()
    unmount()
    const { result } = open()
    await settle()
    expect(result.current.notice.phase).toBe('idle')
  })

  it('knows what happened to its hook while the notice was away', async () => {
    const payments = startSlowPayments([OFFLINE])
    const { result, rerender } = renderHook(
      ({ isOpen }) => {
        const pay = useIdempotentMutation(payments.named)
        return { pay, notice: useRetryNotice(isOpen ? pay : { queryKey: ['none'] }) }
      },
      { wrapper: withClient(payments.client), initialProps: { isOpen: true } },
    )
    act(() => result.current.pay.mutate(ORDER))
    await settle()
    rerender({ isOpen: false })
    act(() => result.current.pay.mutate({ id: 'o2', amount: 1 }))
    await pass(2_000)
    act(() => result.current.pay.mutate({ id: 'o3', amount: 1 }))
    await settle()
    rerender({ isOpen: true })
    expect(result.current.notice).toMatchObject({ phase: 'waiting', secondsLeft: 5 })
    rerender({ isOpen: false })
    act(() => result.current.pay.reset())
    rerender({ isOpen: true })
    expect(result.current.notice.phase).toBe('idle')
  })

  it('works in StrictMode, for a mutation that an effect of the first render sends', async () => {
    const payments = startSlowPayments([OFFLINE, PAID])
    const mutations = payments.client.getMutationCache()
    const listenerCount = () => (mutations as unknown as { listeners: Set<unknown> }).listeners.size
    const before = listenerCount()
    const Wrapper = withClient(payments.client)
    const { result, unmount } = renderHook(
      () => {
        const pay = useIdempotentMutation(payments.named)
        const { mutate } = pay
        useEffect(() => mutate(ORDER), [mutate])
        return useRetryNotice(pay)
      },
      {
        wrapper: ({ children }) => (
          <StrictMode>
            <Wrapper>{children}</Wrapper>
          </StrictMode>
        ),
      },
    )
    await settle()
    expect(result.current).toMatchObject({ phase: 'waiting', secondsLeft: 5 })
    unmount()
    // The attempt goes on without the page, and listens until it is over.
    await pass(20_000)
    expect(listenerCount()).toBe(before)
  })
})

describe('useRetryNotice of a whole client, about mutations', () => {
  /** A layout with the notice, and a page that pays. */
  function openLayout(scripts: Parameters<typeof openPaymentNotice>[0]) {
    const payments = openPaymentNotice(scripts)
    const { result } = renderHookWithClient(payments.client, () => useRetryNotice())
    return { ...payments, layout: () => result.current }
  }

  it('counts those that wait beside the queries that wait', async () => {
    const { client, layout, pay, submit } = openLayout([OFFLINE])
    const { queryFn } = openStage().replies(BUSY)
    client.prefetchQuery({ queryKey: ['cart'], queryFn })
    await pay()
    submit({ id: 'o2', amount: 1 })
    await settle()
    expect(layout()).toMatchObject({ phase: 'waiting', queryCount: 1, mutationCount: 2 })
  })

  it('counts one intent once, however often it was clicked', async () => {
    const { layout, pay } = openLayout([OFFLINE])
    await pay()
    await pay()
    expect(layout()).toMatchObject({ phase: 'waiting', mutationCount: 1, queryCount: 0 })
    await pass(5_001)
    expect(layout()).toMatchObject({ phase: 'stopped', mutationCount: 1 })
  })

  it('tells what became of a mutation whose page was left, until TanStack forgets it', async () => {
    const { layout, pay, unmount } = openLayout([OFFLINE])
    await pay()
    unmount()
    await settle()
    expect(layout().phase).toBe('waiting')
    await pass(5_000)
    expect(layout()).toMatchObject({ phase: 'stopped', effect: 'unknown' })
    await pass(5 * 60_000)
    expect(layout().phase).toBe('idle')
  })

  it.each<[string, (page: ReturnType<typeof openLayout>) => unknown]>([
    ['its page is left', ({ unmount }) => unmount()],
    ['its hook is reset', ({ page }) => act(() => page.current.pay.reset())],
  ])('forgets a failure once %s', async (_, leave) => {
    const layout = openLayout([OFFLINE])
    await layout.pay()
    await layout.pay()
    await pass(5_001)
    expect(layout.layout()).toMatchObject({ phase: 'stopped', mutationCount: 1 })
    leave(layout)
    await settle()
    expect(layout.layout().phase).toBe('idle')
  })

  it('says nothing of what failed before it was there', async () => {
    const { client, pay } = openPaymentNotice([OFFLINE])
    await pay()
    await pass(5_001)
    const { result } = renderHookWithClient(client, () => useRetryNotice())
    await settle()
    expect(result.current.phase).toBe('idle')
  })

  it('says of a payment in doubt before it says of a list that could not be loaded', async () => {
    const { client, layout, pay } = openLayout([OFFLINE])
    const { queryFn } = openStage().replies({ fails: { status: 500 } })
    renderHookWithClient(client, () => useQuery({ queryKey: ['list'], queryFn }))
    await pay()
    await pass(5_001)
    expect(layout()).toMatchObject({ phase: 'stopped', isMutation: true, queryCount: 1 })
  })

  it('cancels those that wait, queries and mutations, and "try now" sends no mutation', async () => {
    const { client, layout, pay, sends } = openLayout([OFFLINE, PAID])
    const cart = openStage().replies(BUSY)
    client.prefetchQuery({ queryKey: ['cart'], queryFn: cart.queryFn })
    await pay()
    await act(async () => layout().tryNow())
    await settle()
    expect([cart.sends.length, sends.length]).toEqual([2, 1])
    await act(async () => layout().cancel())
    await settle()
    expect(layout()).toMatchObject({ phase: 'stopped', stopReason: 'cancelled', mutationCount: 1 })
    await pass(60_000)
    expect([cart.sends.length, sends.length]).toEqual([2, 1])
  })

  it('is paused for a mutation that waits for a network', async () => {
    onlineManager.setOnline(false)
    const { layout, pay } = openLayout([PAID])
    await pay()
    expect(layout()).toMatchObject({ phase: 'paused', cause: 'offline', mutationCount: 1 })
  })
})
