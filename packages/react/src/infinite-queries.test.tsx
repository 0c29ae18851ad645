import { useInfiniteQuery } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import type { RetryPresetOptions } from './retry-preset.ts'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'
import { advanceRendered, renderHookWithClient } from './testing-support/render-with-client.tsx'

installFakeTime()

/** Pages 0, 1, 2 ... that each fail as often as `failures` says. */
function startPages(failures: Record<number, number>, options: RetryPresetOptions = {}) {
  const conversation = startConversation(options)
  const left = { ...failures }
  const sent: number[] = []
  const pages = {
    queryKey: ['pages'],
    initialPageParam: 0,
    getNextPageParam: (last: string) => Number(last.slice(5)) + 1,
    queryFn: async ({ pageParam }: { pageParam: number }) => {
      sent.push(pageParam)
      if ((left[pageParam] ?? 0) > 0) {
        left[pageParam] = (left[pageParam] ?? 0) - 1
        throw { status: 503 }
      }
      return `page ${pageParam}`
    },
  }
  return { ...conversation, pages, sent, left }
}

describe('an infinite query', () => {
  it('keeps the pages it has when the third fails, and goes on there', async () => {
    const { client, pages, sent, eventTypes } = startPages({ 2: 1 })
    const fetched = client.fetchInfiniteQuery({ ...pages, pages: 4 })
    await advance(60_000)
    expect((await fetched).pages).toEqual(['page 0', 'page 1', 'page 2', 'page 3'])
    expect(sent).toEqual([0, 1, 2, 2, 3])
    expect(eventTypes()).toEqual([
      'attempt-failed',
      'retry-scheduled',
      'retry-started',
      'recovered',
    ])
  })

  it('counts a failure of each page towards one number of retries', async () => {
    const { client, pages, sent } = startPages({ 0: 1, 1: 1, 2: 1 }, { maxRetries: 2 })
    const fetched = client.fetchInfiniteQuery({ ...pages, pages: 3 })
    fetched.catch(() => {})
    await advance(60_000)
    expect(sent).toEqual([0, 0, 1, 1, 2])
    await expect(fetched).rejects.toEqual({ status: 503 })
  })

  it.each([
    ['that is observed', { getNextPageParam: () => 1, pages: 5 }],
    ['of one page, fetched ahead', {}],
  ])('%s has no attempt timeout, which would lose its pages', async (_, options) => {
    const { client } = startPages({}, { attemptTimeoutMs: 100 })
    let sends = 0
    const slow = {
      queryKey: ['slow'],
      initialPageParam: 0,
      queryFn: () => {
        sends++
        return new Promise<string>(resolve => setTimeout(() => resolve('page'), 1_000))
      },
      ...options,
    }
    // One page needs no `getNextPageParam`, whatever the types of some versions say.
    const fetched = client.fetchInfiniteQuery(
      slow as typeof slow & { getNextPageParam: () => number },
    )
    fetched.catch(() => {})
    await advance(60_000)
    expect(new Set((await fetched).pages)).toEqual(new Set(['page']))
    expect(sends).toBe((await fetched).pages.length)
  })

  it('shows the pages it has while the next one fails, and with it after the retry', async () => {
    const { client, pages, sent } = startPages({ 1: 1 })
    const { result } = renderHookWithClient(client, () => ({ ...useInfiniteQuery(pages) }))
    await advanceRendered(10)
    result.current.fetchNextPage()
    await advanceRendered(10)
    expect(result.current).toMatchObject({ failureCount: 1, isFetchingNextPage: true })
    expect(result.current.data?.pages).toEqual(['page 0'])
    await advanceRendered(600)
    expect(result.current.data?.pages).toEqual(['page 0', 'page 1'])
    expect(sent).toEqual([0, 1, 1])
  })

  it('recovers with the next `fetchNextPage` after one gave up', async () => {
    const { client, pages, sent, stopReasons } = startPages({ 1: 3 }, { maxRetries: 2 })
    const { result } = renderHookWithClient(client, () => ({ ...useInfiniteQuery(pages) }))
    await advanceRendered(10)
    result.current.fetchNextPage()
    await advanceRendered(60_000)
    expect(result.current).toMatchObject({ isFetchNextPageError: true, error: { status: 503 } })
    expect(result.current.data?.pages).toEqual(['page 0'])
    expect(stopReasons()).toEqual(['retries-exhausted'])
    result.current.fetchNextPage()
    await advanceRendered(60_000)
    expect(result.current).toMatchObject({ isFetchNextPageError: false, error: null })
    expect(result.current.data?.pages).toEqual(['page 0', 'page 1'])
    expect(sent).toEqual([0, 1, 1, 1, 1])
  })

  it('has a deadline', async () => {
    const { client, pages, sent, stopReasons } = startPages({ 0: 9 }, { deadlineMs: 2_000 })
    client.fetchInfiniteQuery(pages).catch(() => {})
    await advance(60_000)
    expect(sent).toEqual([0, 0, 0])
    expect(stopReasons()).toEqual(['deadline'])
  })
})
