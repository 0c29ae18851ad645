import {
  QueryErrorResetBoundary,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import { Component, type ReactNode, StrictMode, Suspense } from 'react'
import { describe, expect, it, vi } from 'vitest'
import {
  followScript,
  installFakeTime,
  type Script,
  startConversation,
} from './testing-support/conversation.ts'
import { advanceRendered, renderWithClient } from './testing-support/render-with-client.tsx'

installFakeTime()

const down = Object.assign(new Error('down'), { status: 503 })

function startSuspended(scripts: Script[], isStrict = false) {
  const conversation = startConversation()
  const { queryFn, sentAtMs } = followScript(scripts, conversation.clock.nowMs)
  const page = (
    <QueryErrorResetBoundary>
      <Boundary>
        <Suspense fallback={<p>loading</p>}>
          <Cart queryFn={queryFn} />
        </Suspense>
      </Boundary>
    </QueryErrorResetBoundary>
  )
  const view = renderWithClient(
    conversation.client,
    isStrict ? <StrictMode>{page}</StrictMode> : page,
  )
  return { ...conversation, ...view, sentAtMs }
}

type QueryFn = () => Promise<unknown>

function Cart({ queryFn }: { queryFn: QueryFn }) {
  return <p>{String(useSuspenseQuery({ queryKey: ['cart'], queryFn }).data)}</p>
}

function Pages({ queryFn }: { queryFn: QueryFn }) {
  const { data } = useSuspenseInfiniteQuery({
    queryKey: ['pages'],
    queryFn,
    initialPageParam: 0,
    getNextPageParam: () => 1,
  })
  return <p>{String(data.pages)}</p>
}

class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {}
  static getDerivedStateFromError(error: Error) {
    return { error }
  }
  override render() {
    return this.state.error ? <p>failed: {this.state.error.message}</p> : this.props.children
  }
}

describe('under Suspense', () => {
  it.each([false, true])(
    'the fallback stays until a retry brings data (StrictMode: %s)',
    async isStrict => {
      const { sentAtMs } = startSuspended(
        [{ fails: down }, { fails: down }, { answers: 'tea' }],
        isStrict,
      )
      await advanceRendered(1_699)
      expect(screen.queryByText('loading')).not.toBeNull()
      await advanceRendered(1)
      await advanceRendered(10)
      expect(screen.queryByText('tea')).not.toBeNull()
      expect(sentAtMs).toEqual([0, 600, 1_700])
    },
  )

  it('the error boundary gets the error of the last attempt when retries end', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { sentAtMs, stopReasons } = startSuspended([{ fails: down }])
    await advanceRendered(60_000)
    expect(screen.queryByText('failed: down')).not.toBeNull()
    expect(sentAtMs).toEqual([0, 600, 1_700, 3_800, 7_900])
    expect(stopReasons()).toEqual(['retries-exhausted'])
  })

  it('a page of an infinite query is retried behind the fallback', async () => {
    const { client } = startConversation()
    const { queryFn, sentAtMs } = followScript([{ fails: down }, { answers: 'page 0' }])
    renderWithClient(
      client,
      <Suspense fallback={<p>loading</p>}>
        <Pages queryFn={queryFn} />
      </Suspense>,
    )
    await advanceRendered(1_000)
    expect(screen.queryByText('page 0')).not.toBeNull()
    expect(sentAtMs).toHaveLength(2)
  })
})
