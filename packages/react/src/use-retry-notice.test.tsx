import { manualClock } from '@query-retry/core/testing'
import {
  focusManager,
  onlineManager,
  type QueryKey,
  useInfiniteQuery,
  useQueries,
  useQuery,
} from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { StrictMode } from 'react'
import { describe, expect, it } from 'vitest'
import {
  BUSY,
  installNoticeStage,
  MISSING,
  openStage,
  pass,
  settle,
} from './testing-support/notice-stage.tsx'
import { useRetryNotice } from './use-retry-notice.ts'

installNoticeStage()

interface OrdersTarget {
  queryKey: QueryKey
  exact?: boolean
}

describe('useRetryNotice', () => {
  it('follows the query whose result it was given, in the component that called useQuery', async () => {
    const stage = openStage()
    const failing = stage.replies(BUSY)
    const { result } = renderHook(
      () => useRetryNotice(useQuery({ queryKey: ['cart'], queryFn: failing.queryFn })),
      { wrapper: stage.wrapper },
    )
    expect(result.current.phase).toBe('idle')
    await settle()
    expect(result.current).toMatchObject({ phase: 'waiting', failureCount: 1, queryCount: 1 })
  })

  it('tells two queries apart that failed with one error object', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(BUSY)
    const { result, rerender } = renderHook(
      ({ isLateEnabled }) => ({
        early: useRetryNotice(useQuery({ queryKey: ['early'], queryFn })),
        late: useRetryNotice(useQuery({ queryKey: ['late'], queryFn, enabled: isLateEnabled })),
      }),
      { wrapper: stage.wrapper, initialProps: { isLateEnabled: false } },
    )
    await pass(2_000)
    rerender({ isLateEnabled: true })
    await settle()
    expect(result.current.early).toMatchObject({ phase: 'waiting', secondsLeft: 3 })
    expect(result.current.late).toMatchObject({ phase: 'waiting', secondsLeft: 5 })
  })

  it('moves with a result whose key changes to the other query', async () => {
    const stage = openStage()
    const failing = stage.replies(BUSY)
    const { result, rerender } = renderHook(
      ({ page }) =>
        useRetryNotice(
          useQuery({
            queryKey: ['page', page],
            queryFn: context => (page === 1 ? failing.queryFn(context) : 'data'),
          }),
        ),
      { wrapper: stage.wrapper, initialProps: { page: 1 } },
    )
    await settle()
    expect(result.current.phase).toBe('waiting')
    rerender({ page: 2 })
    await settle()
    expect(result.current.phase).toBe('idle')
    rerender({ page: 1 })
    await settle()
    expect(result.current.phase).toBe('waiting')
  })

  it('says the same to two observers of one query, and counts it once', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(BUSY)
    const { result } = renderHook(
      () => [
        useRetryNotice(useQuery({ queryKey: ['cart'], queryFn })),
        useRetryNotice(useQuery({ queryKey: ['cart'], queryFn })),
        useRetryNotice(),
      ],
      { wrapper: stage.wrapper },
    )
    await settle()
    for (const notice of result.current) {
      expect(notice).toMatchObject({ phase: 'waiting', failureCount: 1, queryCount: 1 })
    }
  })

  it('takes each result of useQueries for its own query', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(BUSY)
    const { result } = renderHook(
      () => {
        const [failing, fine] = useQueries({
          queries: [
            { queryKey: ['failing'], queryFn },
            { queryKey: ['fine'], queryFn: () => 'data' },
          ],
        })
        return [useRetryNotice(failing), useRetryNotice(fine)]
      },
      { wrapper: stage.wrapper },
    )
    await settle()
    expect(result.current.map(({ phase }) => phase)).toEqual(['waiting', 'idle'])
  })

  it('follows the result of useInfiniteQuery', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(BUSY)
    const { result } = renderHook(
      () =>
        useRetryNotice(
          useInfiniteQuery({
            queryKey: ['orders'],
            queryFn,
            initialPageParam: 0,
            getNextPageParam: () => 1,
          }),
        ),
      { wrapper: stage.wrapper },
    )
    await settle()
    expect(result.current).toMatchObject({ phase: 'waiting', failureCount: 1 })
  })

  it('takes the queries under a key with { queryKey }, one query with exact', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(BUSY)
    const { result } = renderHook(
      () => {
        useQuery({ queryKey: ['orders'], queryFn: () => 'data' })
        useQuery({ queryKey: ['orders', 7], queryFn })
        useQuery({ queryKey: ['orders', 8], queryFn })
        return [
          useRetryNotice({ queryKey: ['orders'] }),
          useRetryNotice({ queryKey: ['orders', 7] }),
          useRetryNotice({ queryKey: ['cart'] }),
          useRetryNotice({ queryKey: ['orders'], exact: true }),
        ]
      },
      { wrapper: stage.wrapper },
    )
    await settle()
    expect(result.current).toMatchObject([
      { phase: 'waiting', queryCount: 2 },
      { phase: 'waiting', queryCount: 1 },
      { phase: 'idle' },
      { phase: 'idle' },
    ])
  })

  it('moves with a { queryKey } or an exact that changes', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(BUSY)
    const { result, rerender } = renderHook(
      (target: OrdersTarget) => {
        useQuery({ queryKey: ['orders', 7], queryFn })
        return useRetryNotice(target)
      },
      { wrapper: stage.wrapper, initialProps: { queryKey: ['orders'] } as OrdersTarget },
    )
    await settle()
    expect(result.current.phase).toBe('waiting')
    rerender({ queryKey: ['orders'], exact: true })
    expect(result.current.phase).toBe('idle')
    rerender({ queryKey: ['orders', 7], exact: true })
    expect(result.current.phase).toBe('waiting')
    rerender({ queryKey: ['orders', 8] })
    expect(result.current.phase).toBe('idle')
  })

  it('works with keys that only the client’s own queryKeyHashFn can hash', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(BUSY)
    const { queries } = stage.client.getDefaultOptions()
    stage.client.setDefaultOptions({
      queries: { ...queries, queryKeyHashFn: key => key.map(String).join() },
    })
    const { result } = renderHook(
      () => {
        useQuery({ queryKey: ['orders', 7n], queryFn })
        return useRetryNotice({ queryKey: ['orders', 7n] })
      },
      { wrapper: stage.wrapper },
    )
    await settle()
    expect(result.current.phase).toBe('waiting')
  })

  it('is one notice for twenty failing queries of a client, with the shortest wait', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(BUSY)
    const { result } = renderHook(() => useRetryNotice(), { wrapper: stage.wrapper })
    for (let id = 0; id < 20; id++) {
      stage.client.prefetchQuery({ queryKey: ['item', id], queryFn })
      await pass(100)
    }
    await settle()
    expect(result.current).toMatchObject({ phase: 'waiting', queryCount: 20, secondsLeft: 3 })
  })

  it('shows the next query’s own seconds once the first one’s attempt has started', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(BUSY, BUSY, 'hang')
    const { result } = renderHook(() => useRetryNotice(), { wrapper: stage.wrapper })
    stage.client.prefetchQuery({ queryKey: ['first'], queryFn })
    await pass(2_500)
    stage.client.prefetchQuery({ queryKey: ['second'], queryFn })
    await pass(2_501)
    expect(result.current).toMatchObject({ phase: 'waiting', secondsLeft: 3, queryCount: 2 })
  })

  it('forgets for the whole client what failed earlier and is on no page any more', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(MISSING)
    const { result, rerender } = renderHook(
      ({ isOpen }) => {
        useQuery({ queryKey: ['item'], queryFn, enabled: isOpen })
        return useRetryNotice()
      },
      { wrapper: stage.wrapper, initialProps: { isOpen: true } },
    )
    await settle()
    expect(result.current.phase).toBe('stopped')
    rerender({ isOpen: false })
    await settle()
    expect(result.current.phase).toBe('idle')
  })

  it('counts down to nothing for a page that was left during the wait no longer', async () => {
    const stage = openStage()
    const failing = stage.replies(BUSY)
    const { result } = renderHook(() => useRetryNotice(), { wrapper: stage.wrapper })
    const page = renderHook(() => useQuery({ queryKey: ['item'], queryFn: failing.queryFn }), {
      wrapper: stage.wrapper,
    })
    await settle()
    expect(result.current.phase).toBe('waiting')
    page.unmount()
    await settle()
    expect(result.current.phase).toBe('idle')
    await act(async () => result.current.tryNow())
    await pass(60_000)
    expect(failing.sends).toHaveLength(1)
  })

  it('is idle for a query that was removed from the cache', async () => {
    const stage = openStage()
    const { queryFn } = stage.replies(BUSY)
    const { result } = renderHook(() => useRetryNotice({ queryKey: ['cart'] }), {
      wrapper: stage.wrapper,
    })
    stage.client.prefetchQuery({ queryKey: ['cart'], queryFn })
    await settle()
    expect(result.current.phase).toBe('waiting')
    stage.client.removeQueries({ queryKey: ['cart'] })
    await settle()
    expect(result.current.phase).toBe('idle')
  })

  it('keeps to the client it was given: the same key in another client is another query', async () => {
    const stage = openStage()
    const other = openStage()
    const { queryFn } = stage.replies(BUSY)
    const { result } = renderHook(
      () => [
        useRetryNotice(),
        useRetryNotice(undefined, { queryClient: other.client }),
        useRetryNotice({ queryKey: ['cart'] }),
        useRetryNotice({ queryKey: ['cart'] }, { queryClient: other.client }),
      ],
      { wrapper: stage.wrapper },
    )
    other.client.prefetchQuery({ queryKey: ['cart'], queryFn })
    await settle()
    expect(result.current.map(({ phase }) => phase)).toEqual(['idle', 'waiting', 'idle', 'waiting'])
  })

  it('works in StrictMode and leaves no timer and no subscription behind', async () => {
    const clock = manualClock()
    const stage = openStage({ clock })
    const { queryFn } = stage.replies(BUSY)
    const query = { queryKey: ['cart'], queryFn }
    const listenersOf = () =>
      [stage.client.getQueryCache(), onlineManager, focusManager].map(
        subject => (subject as unknown as { listeners: Set<unknown> }).listeners.size,
      )
    // The preset's own listener on a cache comes with the first failure, and stays.
    stage.client.prefetchQuery(query)
    await settle()
    const before = listenersOf()
    const { result, unmount } = renderHook(() => [useRetryNotice(), useRetryNotice(query)], {
      wrapper: ({ children }) => <StrictMode>{stage.wrapper({ children })}</StrictMode>,
    })
    await settle()
    expect(result.current[0]).toMatchObject({ phase: 'waiting', secondsLeft: 5, queryCount: 1 })
    expect(clock.pending).toBe(2)
    unmount()
    await settle()
    expect(clock.pending).toBe(0)
    expect(listenersOf()).toEqual(before)
  })
})
