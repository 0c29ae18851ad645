import {
  focusManager,
  onlineManager,
  QueryClient,
  QueryClientProvider,
  useQuery,
} from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { retry, retryDelay } from './plain-retry.ts'
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

/** A page with one query and its notice. */
function openPage(replies: Reply[], options?: RetryPresetOptions) {
  const stage = openStage(options)
  const { queryFn } = stage.replies(...replies)
  const { result } = renderHook(
    () => {
      const query = useQuery({ queryKey: ['cart'], queryFn })
      return { query, notice: useRetryNotice(query) }
    },
    { wrapper: stage.wrapper },
  )
  return { ...stage, result, notice: () => result.current.notice }
}

const failure503 = expect.objectContaining({ kind: 'http', status: 503 })

describe('the phase of a notice', () => {
  it('is idle during an ordinary first load, and after it', async () => {
    const { notice, client } = openPage([{ answers: 'data' }])
    expect(notice()).toMatchObject({ phase: 'idle' })
    await settle()
    expect(client.getQueryData(['cart'])).toBe('data')
    expect(notice().phase).toBe('idle')
    expect(notice()).not.toHaveProperty('failureCount')
  })

  it('is waiting after a failure, with what failed, the next retry and when it comes', async () => {
    const { notice, clock } = openPage([BUSY])
    await settle()
    expect(notice()).toMatchObject({
      phase: 'waiting',
      failureCount: 1,
      failure: failure503,
      retryNumber: 1,
      maxRetries: 4,
      secondsLeft: 5,
      reason: 'http-503',
    })
    expect(notice()).toHaveProperty('retryAtEpochMs', clock.epochMs() + 4_999)
    await pass(5_000)
    expect(notice()).toMatchObject({ phase: 'waiting', failureCount: 2, retryNumber: 2 })
  })

  it('counts the seconds down one by one', async () => {
    const { notice } = openPage([BUSY])
    const seen: unknown[] = []
    for (let second = 0; second < 5; second++) {
      await pass(second === 0 ? 1 : 1_000)
      const current = notice()
      seen.push(current.phase === 'waiting' && current.secondsLeft)
    }
    expect(seen).toEqual([5, 4, 3, 2, 1])
  })

  it('counts on unmoved where the wall clock is set back by 3 hours, and moves retryAtEpochMs along', async () => {
    const { notice, clock } = openPage([BUSY])
    await pass(2_001)
    clock.shiftEpoch(-3 * 3_600_000)
    await pass(1_000)
    expect(notice()).toMatchObject({ phase: 'waiting', secondsLeft: 2 })
    expect(notice()).toHaveProperty('retryAtEpochMs', clock.epochMs() + 5_000 - 3_001)
    await pass(2_000)
    expect(notice()).toMatchObject({ phase: 'waiting', failureCount: 2, secondsLeft: 5 })
  })

  it('is attempting while a retry is under way, and idle once it has data', async () => {
    const { notice, client } = openPage([BUSY, 'hang'])
    await pass(5_001)
    expect(notice()).toMatchObject({ phase: 'attempting', failureCount: 1, failure: failure503 })
    client.setQueryData(['cart'], 'manual')
    await settle()
    expect(notice().phase).toBe('attempting')
  })

  it('is idle again after a retry succeeded', async () => {
    const { notice, result } = openPage([BUSY, { answers: 'data' }])
    await pass(5_002)
    expect(result.current.query.data).toBe('data')
    expect(notice().phase).toBe('idle')
  })

  it('is paused offline after a failure, and goes on once online', async () => {
    const { notice } = openPage([BUSY, 'hang'])
    await settle()
    onlineManager.setOnline(false)
    await pass(5_000)
    expect(notice()).toMatchObject({ phase: 'paused', cause: 'offline', failureCount: 1 })
    expect(notice()).toHaveProperty('failure', failure503)
    await act(async () => onlineManager.setOnline(true))
    await settle()
    expect(notice()).toMatchObject({ phase: 'attempting', failureCount: 1 })
  })

  it('is paused with failureCount 0 on a cold offline start', async () => {
    onlineManager.setOnline(false)
    const { notice } = openPage([BUSY])
    await settle()
    expect(notice()).toMatchObject({ phase: 'paused', cause: 'offline', failureCount: 0 })
    expect(notice()).toHaveProperty('failure', undefined)
  })

  it('is paused hidden where the wait ends in a hidden page', async () => {
    const { notice } = openPage([BUSY])
    await settle()
    focusManager.setFocused(false)
    await pass(5_000)
    expect(notice()).toMatchObject({ phase: 'paused', cause: 'hidden', failureCount: 1 })
  })

  it('says offline where a page comes back into view without a network', async () => {
    const { notice } = openPage([BUSY])
    await settle()
    focusManager.setFocused(false)
    await pass(5_000)
    await act(async () => {
      onlineManager.setOnline(false)
      focusManager.setFocused(true)
    })
    await settle()
    expect(notice()).toMatchObject({ phase: 'paused', cause: 'offline' })
  })

  it('does not call a page in view hidden where TanStack resumes mutations first', async () => {
    onlineManager.setOnline(false)
    const { notice, client } = openPage([BUSY])
    const mutation = client
      .getMutationCache()
      .build(client, { mutationFn: () => new Promise(() => {}) })
    mutation.execute(undefined)
    await settle()
    await act(async () => onlineManager.setOnline(true))
    await settle()
    expect(notice()).toMatchObject({ phase: 'paused', cause: 'offline' })
  })

  it('is waiting again in a background refetch that fails while data is shown', async () => {
    const { notice, result } = openPage([{ answers: 'data' }, BUSY])
    await settle()
    await act(async () => void result.current.query.refetch())
    await settle()
    expect(result.current.query).toMatchObject({ status: 'success', data: 'data' })
    expect(notice()).toMatchObject({ phase: 'waiting', failureCount: 1 })
  })

  it('shows no old failure count after cancelRefetch has started a new fetch', async () => {
    const { notice, result } = openPage([{ answers: 'data' }, BUSY, BUSY, 'hang'])
    await settle()
    await act(async () => void result.current.query.refetch())
    await pass(5_001)
    expect(notice()).toMatchObject({ failureCount: 2 })
    await act(async () => void result.current.query.refetch({ cancelRefetch: true }))
    await settle()
    expect(notice().phase).toBe('idle')
  })

  it('shows no old failure count where that new fetch starts offline', async () => {
    const { notice, result } = openPage([{ answers: 'data' }, BUSY])
    await settle()
    await act(async () => void result.current.query.refetch())
    await pass(5_001)
    onlineManager.setOnline(false)
    await act(async () => void result.current.query.refetch({ cancelRefetch: true }))
    await settle()
    expect(notice()).toMatchObject({ phase: 'paused', failureCount: 0, failure: undefined })
  })

  it('is stopped where the query answered with undefined, which TanStack makes an error', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { notice } = openPage([{ answers: undefined }])
    await settle()
    expect(notice()).toMatchObject({ phase: 'stopped', failure: { kind: 'unknown' } })
  })

  const stopped: [string, Reply[], RetryPresetOptions, number, object][] = [
    ['retries-exhausted', [BUSY], { maxRetries: 1 }, 2, { effect: 'unknown' }],
    ['not-retryable', [MISSING], {}, 1, { effect: 'rejected' }],
    [
      'server-wait-too-long',
      [{ fails: { status: 429, headers: { 'retry-after': '120' } } }],
      {},
      1,
      { effect: 'none' },
    ],
    ['deadline', [BUSY], { deadlineMs: 8_000 }, 2, { effect: 'unknown' }],
    ['disabled', [BUSY], { enabled: () => false }, 1, { effect: 'unknown' }],
    ['cancelled', [{ fails: new DOMException('', 'AbortError') }], {}, 1, { effect: 'unknown' }],
  ]
  it.each(stopped)(
    'is stopped with the reason %s, the failure and its effect',
    async (stopReason, replies, options, failureCount, expected) => {
      const { notice } = openPage(replies, options)
      await pass(10_000)
      expect(notice()).toMatchObject({ phase: 'stopped', stopReason, failureCount, ...expected })
      expect(notice()).toHaveProperty('failure.effect', (expected as { effect: string }).effect)
    },
  )

  it('counts the attempts that were sent where the wait ended after the deadline', async () => {
    const { notice, clock } = openPage([BUSY], { deadlineMs: 8_000 })
    await pass(1_000)
    clock.freezeFor(60_000)
    await pass(5_000)
    expect(notice()).toMatchObject({ phase: 'stopped', stopReason: 'deadline', failureCount: 1 })
    expect(notice()).toHaveProperty('failure', failure503)
  })
})

describe('the phase of a notice with the plain retry pair', () => {
  it('is attempting without a countdown from the first failure on, then stopped', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const client = new QueryClient({ defaultOptions: { queries: { retry, retryDelay } } })
    const { queryFn } = openStage().replies(BUSY, BUSY, MISSING)
    const { result } = renderHook(() => useRetryNotice(useQuery({ queryKey: ['cart'], queryFn })), {
      wrapper: ({ children }) => (
        <QueryClientProvider client={client}>{children}</QueryClientProvider>
      ),
    })
    await settle()
    expect(result.current).toMatchObject({ phase: 'attempting', failureCount: 1 })
    expect(result.current).toHaveProperty('failure', failure503)
    await pass(1_000)
    expect(result.current).toMatchObject({ phase: 'attempting', failureCount: 2 })
    await pass(10_000)
    expect(result.current).toMatchObject({ phase: 'stopped', failureCount: 3, effect: 'rejected' })
  })

  it('does not render for ever where queryFn is written inline', async () => {
    const client = new QueryClient({
      defaultOptions: { queries: { retry, retryDelay: () => 60_000 } },
    })
    const { queryFn } = openStage().replies(BUSY)
    let renders = 0
    renderHook(
      () => {
        renders++
        const query = useQuery({ queryKey: ['cart'], queryFn: context => queryFn(context) })
        return useRetryNotice(query)
      },
      {
        wrapper: ({ children }) => (
          <QueryClientProvider client={client}>{children}</QueryClientProvider>
        ),
      },
    )
    await settle()
    const afterFailure = renders
    await pass(10_000)
    expect(renders).toBe(afterFailure)
  })
})
