import { QueryClient, type QueryKey, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { createNoticeSource } from './notice-source.ts'
import { retry, retryDelay } from './plain-retry.ts'
import { advance } from './testing-support/conversation.ts'
import { BUSY, installNoticeStage, openStage } from './testing-support/notice-stage.tsx'

installNoticeStage()

const settle = () => advance(1)

describe('createNoticeSource', () => {
  it('works out the notice of 5,000 waiting queries once per turn, whatever the number of events', async () => {
    const { client, replies } = openStage({ budget: false })
    const { queryFn } = replies(BUSY)
    for (let id = 0; id < 5_000; id++) client.prefetchQuery({ queryKey: [id], queryFn })
    await settle()
    const source = createNoticeSource(client)
    const changed = vi.fn()
    const stop = source.subscribe(changed)
    expect(source.getSnapshot()).toMatchObject({ phase: 'waiting', queryCount: 5_000 })
    // Working out what is shown goes through all notices once.
    const iterate = vi.spyOn(Map.prototype, Symbol.iterator)
    const goesThroughAll = () =>
      iterate.mock.contexts.filter(map => (map as Map<unknown, unknown>).size === 5_000).length
    for (const query of client.getQueryCache().getAll()) query.setState({ isInvalidated: true })
    expect(goesThroughAll()).toBe(0)
    await settle()
    expect(goesThroughAll()).toBe(1)
    iterate.mockRestore()
    expect(changed).not.toHaveBeenCalled()
    stop()
  })

  it('works nothing out for events of queries that the notice is not about', async () => {
    const { client, replies } = openStage()
    client.prefetchQuery({ queryKey: ['cart'], queryFn: replies(BUSY).queryFn })
    await settle()
    const stop = createNoticeSource(client, { queryKey: ['cart'] }).subscribe(() => {})
    await settle()
    const timers = vi.getTimerCount()
    client.setQueryData(['other'], 'data', { updatedAt: 0 })
    client
      .getQueryCache()
      .find({ queryKey: ['other'] })
      ?.invalidate()
    // The other query's own garbage collection.
    expect(vi.getTimerCount()).toBe(timers + 1)
    stop()
  })

  it('keeps one snapshot until something changes, although classifying an error anew gives a new object', async () => {
    const client = new QueryClient({ defaultOptions: { queries: { retry, retryDelay } } })
    client.prefetchQuery({ queryKey: ['cart'], queryFn: openStage().replies(BUSY).queryFn })
    await settle()
    const source = createNoticeSource(client)
    const changed = vi.fn()
    const stop = source.subscribe(changed)
    const before = source.getSnapshot()
    expect(before).toMatchObject({ phase: 'attempting', failureCount: 1 })
    client
      .getQueryCache()
      .find({ queryKey: ['cart'] })
      ?.setState({ isInvalidated: true })
    await settle()
    expect(source.getSnapshot()).toBe(before)
    expect(changed).not.toHaveBeenCalled()
    stop()
  })

  it('tells its listeners nothing where the wall clock wavers by a millisecond', async () => {
    const { client, clock, replies } = openStage()
    client.prefetchQuery({ queryKey: ['cart'], queryFn: replies(BUSY).queryFn })
    await settle()
    const source = createNoticeSource(client)
    const changed = vi.fn()
    const stop = source.subscribe(changed)
    clock.shiftEpoch(1)
    client
      .getQueryCache()
      .find({ queryKey: ['cart'] })
      ?.setState({ isInvalidated: true })
    await settle()
    expect(changed).not.toHaveBeenCalled()
    stop()
  })

  it('tells its listeners where only the kind of failure changes', async () => {
    const { client, replies } = openStage()
    const open = (queryKey: QueryKey, status: number) =>
      new QueryObserver(client, {
        queryKey,
        queryFn: replies({ fails: { status } }).queryFn,
      }).subscribe(() => {})
    const closeFirst = open(['first'], 404)
    open(['second'], 400)
    await settle()
    const source = createNoticeSource(client)
    source.subscribe(() => {})
    expect(source.getSnapshot()).toMatchObject({ phase: 'stopped', failure: { status: 404 } })
    closeFirst()
    open(['third'], 400)
    await settle()
    expect(source.getSnapshot()).toMatchObject({ phase: 'stopped', failure: { status: 400 } })
  })

  it('forgets a query that was removed while nobody listened', async () => {
    const { client, replies } = openStage()
    client.prefetchQuery({ queryKey: ['cart'], queryFn: replies(BUSY).queryFn })
    await settle()
    const source = createNoticeSource(client)
    source.subscribe(() => {})()
    client.clear()
    const stop = source.subscribe(() => {})
    expect(source.getSnapshot().phase).toBe('idle')
    stop()
  })

  it('sends and ends nothing once nobody listens', async () => {
    const { client, replies } = openStage()
    const { queryFn, sends } = replies(BUSY)
    client.prefetchQuery({ queryKey: ['cart'], queryFn })
    await settle()
    const source = createNoticeSource(client)
    source.subscribe(() => {})()
    source.tryNow()
    source.cancel()
    expect(sends).toHaveLength(1)
    expect(client.getQueryState(['cart'])?.fetchStatus).toBe('fetching')
  })

  it('keeps other notices counting where one of two listeners leaves', async () => {
    const { client, replies } = openStage()
    client.prefetchQuery({ queryKey: ['cart'], queryFn: replies(BUSY).queryFn })
    await settle()
    const source = createNoticeSource(client)
    const leave = source.subscribe(() => {})
    source.subscribe(() => {})
    leave()
    await advance(2_000)
    expect(source.getSnapshot()).toMatchObject({ phase: 'waiting', secondsLeft: 3 })
  })
})
