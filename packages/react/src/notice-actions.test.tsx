import { onlineManager, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  BUSY,
  installNoticeStage,
  MISSING,
  openStage,
  pass,
  type Reply,
  settle,
} from './testing-support/notice-stage.tsx'
import { useRetryNotice } from './use-retry-notice.ts'

installNoticeStage()

/** A page with one query, its notice, and what every render showed. */
function openPage(replies: Reply[], options?: RetryPresetOptions) {
  const stage = openStage(options)
  const script = stage.abortableReplies(...replies)
  const renders: unknown[] = []
  const { result, unmount } = renderHook(
    () => {
      const { data, status, error, refetch } = useQuery({
        queryKey: ['cart'],
        queryFn: script.queryFn,
      })
      const notice = useRetryNotice({ refetch })
      renders.push({ status, error, phase: notice.phase })
      return { data, status, error, refetch, notice }
    },
    { wrapper: stage.wrapper },
  )
  return {
    ...stage,
    ...script,
    renders,
    unmount,
    page: () => result.current,
    notice: () => result.current.notice,
    press: async (button: 'tryNow' | 'cancel') => {
      await act(async () => result.current.notice[button]())
      await settle()
    },
  }
}

describe('tryNow', () => {
  it('sends one attempt at once during a first load’s wait, and no render shows an error', async () => {
    const { notice, press, renders, sentAtMs } = openPage([BUSY, 'hang'])
    await pass(2_000)
    renders.length = 0
    await press('tryNow')
    expect(sentAtMs()).toEqual([0, 2_000])
    expect(notice()).toMatchObject({ phase: 'attempting', failureCount: 0 })
    expect(renders.length).toBeGreaterThan(0)
    for (const render of renders) expect(render).toMatchObject({ status: 'pending', error: null })
    expect(renders).not.toContainEqual(expect.objectContaining({ phase: 'idle' }))
    await pass(60_000)
    expect(sentAtMs()).toEqual([0, 2_000])
  })

  it('sends one attempt at once while data is shown, and no render loses it', async () => {
    const { page, press, renders, sends } = openPage([{ answers: 'old' }, BUSY, { answers: 'new' }])
    await settle()
    await act(async () => void page().refetch())
    await settle()
    renders.length = 0
    await press('tryNow')
    expect(sends).toHaveLength(3)
    expect(page()).toMatchObject({ data: 'new', notice: { phase: 'idle' } })
    for (const render of renders) expect(render).toMatchObject({ status: 'success', error: null })
  })

  it('starts over with all retries and the whole deadline', async () => {
    const { notice, press, sentAtMs } = openPage([BUSY], { maxRetries: 2, deadlineMs: 12_000 })
    await pass(9_000)
    expect(notice()).toMatchObject({ failureCount: 2, retryNumber: 2 })
    await press('tryNow')
    expect(notice()).toMatchObject({ phase: 'waiting', failureCount: 1, retryNumber: 1 })
    await pass(20_000)
    expect(sentAtMs()).toEqual([0, 5_000, 9_000, 14_000, 19_000])
    expect(notice()).toMatchObject({ phase: 'stopped', failureCount: 3 })
  })

  it('starts again after attempts have ended', async () => {
    const { notice, page, press, sends } = openPage([MISSING, { answers: 'data' }])
    await settle()
    expect(notice().phase).toBe('stopped')
    await press('tryNow')
    expect(sends).toHaveLength(2)
    expect(page()).toMatchObject({ data: 'data', notice: { phase: 'idle' } })
  })

  it('sends one attempt for a double click', async () => {
    const { notice, sends } = openPage([BUSY, 'hang'])
    await settle()
    const { tryNow } = notice()
    await act(async () => {
      tryNow()
      tryNow()
    })
    await settle()
    notice().tryNow()
    await settle()
    expect(sends).toHaveLength(2)
  })

  it('does nothing while an attempt is under way or the query is paused', async () => {
    const { notice, press, sends } = openPage([BUSY, 'hang'])
    await pass(1)
    onlineManager.setOnline(false)
    await pass(5_000)
    expect(notice().phase).toBe('paused')
    await press('tryNow')
    expect(sends).toHaveLength(1)
    expect(notice()).toMatchObject({ phase: 'paused', failureCount: 1 })
    await act(async () => onlineManager.setOnline(true))
    await settle()
    expect(notice().phase).toBe('attempting')
    await press('tryNow')
    expect(sends).toHaveLength(2)
    expect(sends[1]?.signal?.aborted).toBe(false)
  })

  it('fetches the next page of an infinite query again, and keeps the pages', async () => {
    const stage = openStage()
    const { queryFn, sends } = stage.replies({ answers: 'one' }, BUSY, { answers: 'two' })
    const { result } = renderHook(
      () => {
        const query = useInfiniteQuery({
          queryKey: ['orders'],
          queryFn,
          initialPageParam: 1,
          getNextPageParam: (_page, pages) => pages.length + 1,
        })
        return { query, notice: useRetryNotice(query), pages: query.data?.pages }
      },
      { wrapper: stage.wrapper },
    )
    await settle()
    await act(async () => void result.current.query.fetchNextPage())
    await settle()
    expect(result.current).toMatchObject({ notice: { phase: 'waiting' }, pages: ['one'] })
    await act(async () => {
      result.current.notice.tryNow()
      expect(stage.client.getQueryState(['orders'])).toMatchObject({ fetchFailureCount: 0 })
    })
    await settle()
    expect(sends.map(({ pageParam }) => pageParam)).toEqual([1, 2, 2])
    expect(result.current).toMatchObject({ notice: { phase: 'idle' }, pages: ['one', 'two'] })
  })

  it('sends one attempt for each waiting query of a client, and none for those that have stopped', async () => {
    const stage = openStage()
    const busy = stage.replies(BUSY, BUSY, BUSY, 'hang')
    const missing = stage.replies(MISSING)
    const { result } = renderHook(
      () => {
        useQuery({ queryKey: ['a'], queryFn: busy.queryFn })
        useQuery({ queryKey: ['b'], queryFn: busy.queryFn })
        useQuery({ queryKey: ['c'], queryFn: busy.queryFn })
        useQuery({ queryKey: ['missing'], queryFn: missing.queryFn })
        return useRetryNotice()
      },
      { wrapper: stage.wrapper },
    )
    await settle()
    expect(result.current).toMatchObject({ phase: 'waiting', queryCount: 3 })
    await act(async () => result.current.tryNow())
    await settle()
    expect([busy.sends.length, missing.sends.length]).toEqual([6, 1])
  })

  it('does nothing after unmount', async () => {
    const { notice, sends, unmount, client } = openPage([BUSY])
    await settle()
    const { tryNow, cancel } = notice()
    unmount()
    tryNow()
    cancel()
    await pass(60_000)
    expect(sends).toHaveLength(1)
    expect(client.getQueryState(['cart'])).toMatchObject({
      fetchStatus: 'idle',
      errorUpdateCount: 0,
    })
  })
})

describe('cancel', () => {
  it('ends a first load in its own last error, at once for state observers, and sends nothing more', async () => {
    const { notice, page, sends, client } = openPage([BUSY])
    await pass(2_000)
    await act(async () => {
      notice().cancel()
      expect(client.getQueryState(['cart'])).toMatchObject({ status: 'error', fetchStatus: 'idle' })
    })
    await settle()
    expect(page().error).toBe(BUSY.fails)
    expect(notice()).toMatchObject({ phase: 'stopped', stopReason: 'cancelled', failureCount: 1 })
    await pass(60_000)
    expect(sends).toHaveLength(1)
  })

  it('leaves no countdown running', async () => {
    const { press, clock } = openPage([BUSY])
    await settle()
    await press('cancel')
    const { sleepCount } = clock
    await pass(60_000)
    expect(clock.sleepCount).toBe(sleepCount)
  })

  it('keeps the data that is shown, and marks it stale as TanStack does after a failed refetch', async () => {
    const { page, press, client } = openPage([{ answers: 'old' }, BUSY])
    await settle()
    await act(async () => void page().refetch())
    await settle()
    await press('cancel')
    expect(page()).toMatchObject({ data: 'old', status: 'error', error: BUSY.fails })
    expect(client.getQueryState(['cart'])).toMatchObject({
      isInvalidated: true,
      errorUpdateCount: 1,
    })
  })

  it('aborts the attempt under way', async () => {
    const { page, press, sends } = openPage([BUSY, 'hang'])
    await pass(5_001)
    await press('cancel')
    expect(sends[1]?.signal?.aborted).toBe(true)
    expect(page()).toMatchObject({ error: BUSY.fails, notice: { phase: 'stopped' } })
  })

  it('ends the attempt that "try now" sent in the error before it', async () => {
    const { page, press, sends } = openPage([BUSY, 'hang'])
    await settle()
    await press('tryNow')
    expect(page().notice).toHaveProperty('failure.status', 503)
    await press('cancel')
    expect(sends[1]?.signal?.aborted).toBe(true)
    expect(page()).toMatchObject({
      error: BUSY.fails,
      notice: { phase: 'stopped', stopReason: 'cancelled', failure: { status: 503 } },
    })
  })

  it('does nothing on a cold offline start, which has no error to end with', async () => {
    onlineManager.setOnline(false)
    const { page, press } = openPage([BUSY])
    await settle()
    await press('cancel')
    expect(page()).toMatchObject({ status: 'pending', notice: { phase: 'paused' } })
  })

  it('can be followed by "try again"', async () => {
    const { page, press } = openPage([BUSY, { answers: 'data' }])
    await settle()
    await press('cancel')
    await press('tryNow')
    expect(page()).toMatchObject({ data: 'data', notice: { phase: 'idle' } })
  })

  it('ends every query of a client that waits or tries again, each in its own error', async () => {
    const stage = openStage()
    const other = { fails: { status: 502 } }
    const { result } = renderHook(() => useRetryNotice(), { wrapper: stage.wrapper })
    stage.client.prefetchQuery({ queryKey: ['a'], queryFn: stage.replies(BUSY).queryFn })
    stage.client.prefetchQuery({ queryKey: ['b'], queryFn: stage.replies(other).queryFn })
    stage.client.prefetchQuery({ queryKey: ['loading'], queryFn: stage.replies('hang').queryFn })
    await settle()
    await act(async () => result.current.cancel())
    await settle()
    expect(stage.client.getQueryState(['a'])?.error).toBe(BUSY.fails)
    expect(stage.client.getQueryState(['b'])?.error).toBe(other.fails)
    expect(stage.client.getQueryState(['loading'])?.fetchStatus).toBe('fetching')
  })
})
