import { type QueryFunction, useSuspenseQuery } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import { Component, type ReactNode, Suspense, useEffect } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  installNoticeStage,
  openStage,
  pass,
  type Reply,
  settle,
} from './testing-support/notice-stage.tsx'
import { type RetryNoticeResult, useRetryNotice } from './use-retry-notice.ts'

installNoticeStage()
beforeEach(() => {
  // React says on the console what an error boundary caught.
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

const FAILURE = { fails: Object.assign(new Error('the server is down'), { status: 503 }) }

class Boundary extends Component<{ children: ReactNode }> {
  override state: { caught?: Error } = {}
  static getDerivedStateFromError(caught: Error) {
    return { caught }
  }
  override render() {
    return this.state.caught ? <p>caught: {this.state.caught.message}</p> : this.props.children
  }
}

interface Observed {
  onNotice: (notice: RetryNoticeResult) => void
}

function Fallback({ onNotice }: Observed) {
  const notice = useRetryNotice({ queryKey: ['cart'] })
  useEffect(() => {
    onNotice(notice)
  })
  return <p>{notice.phase}</p>
}

function Page({ queryFn, onNotice }: Observed & { queryFn: QueryFunction }) {
  const query = useSuspenseQuery({ queryKey: ['cart'], queryFn })
  const notice = useRetryNotice(query)
  useEffect(() => {
    onNotice(notice)
  })
  return <p>data: {String(query.data)}</p>
}

/** A page that suspends, with a notice in the fallback and one beside the data. */
async function openSuspended(replies: Reply[]) {
  const stage = openStage()
  const script = stage.abortableReplies(...replies)
  const seen: { fallback?: RetryNoticeResult; page?: RetryNoticeResult } = {}
  const fallback = <Fallback onNotice={notice => Object.assign(seen, { fallback: notice })} />
  const page = (
    <Page queryFn={script.queryFn} onNotice={notice => Object.assign(seen, { page: notice })} />
  )
  await act(async () => {
    render(
      <Boundary>
        <Suspense fallback={fallback}>{page}</Suspense>
      </Boundary>,
      { wrapper: stage.wrapper },
    )
  })
  await settle()
  return { ...stage, ...script, seen }
}

describe('useRetryNotice in a Suspense fallback', () => {
  it('waits, attempts and ends in data although no component has rendered and no observer exists', async () => {
    const { client, seen } = await openSuspended([FAILURE, { answers: 'cart' }])
    expect(client.getQueryCache().find({ queryKey: ['cart'] })?.observers).toHaveLength(0)
    expect(seen.fallback).toMatchObject({ phase: 'waiting', failureCount: 1, secondsLeft: 5 })
    await pass(5_001)
    screen.getByText('data: cart')
  })

  it('sends the next attempt at once with tryNow', async () => {
    const { seen, sends } = await openSuspended([FAILURE, { answers: 'cart' }])
    await act(async () => seen.fallback?.tryNow())
    await settle()
    screen.getByText('data: cart')
    expect(sends).toHaveLength(2)
  })

  it('gives the error boundary the query’s own error with cancel, and nothing is refetched by itself', async () => {
    const { seen, sends } = await openSuspended([FAILURE])
    await act(async () => seen.fallback?.cancel())
    await settle()
    screen.getByText('caught: the server is down')
    await pass(60_000)
    expect(sends).toHaveLength(1)
  })

  it('follows the result of useSuspenseQuery where a refetch fails', async () => {
    const { client, seen } = await openSuspended([{ answers: 'cart' }, FAILURE])
    screen.getByText('data: cart')
    await act(async () => void client.refetchQueries({ queryKey: ['cart'] }))
    await settle()
    expect(seen.page).toMatchObject({ phase: 'waiting', failureCount: 1 })
  })
})
