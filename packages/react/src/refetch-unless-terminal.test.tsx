import { focusManager, onlineManager, useQuery } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { refetchUnlessTerminal } from './refetch-unless-terminal.ts'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  followScript,
  installFakeTime,
  type Script,
  startConversation,
  tea,
  unavailable,
} from './testing-support/conversation.ts'
import { advanceRendered, renderHookWithClient } from './testing-support/render-with-client.tsx'

installFakeTime()

const gone: Script = { fails: { status: 404 } }
const CALM = {
  refetchOnWindowFocus: refetchUnlessTerminal,
  refetchOnReconnect: refetchUnlessTerminal,
}

/** A mounted query without retries, which asks `refetchUnlessTerminal` unless `queryOptions` say otherwise. */
async function mounted(
  scripts: Script[],
  queryOptions: object = {},
  presetOptions: RetryPresetOptions = { maxRetries: 0 },
) {
  const conversation = startConversation(presetOptions)
  conversation.client.setDefaultOptions({
    queries: { ...conversation.preset.queries, ...CALM, ...queryOptions },
  })
  const { queryFn, sentAtMs } = followScript(scripts, conversation.clock.nowMs)
  const mount = () =>
    renderHookWithClient(conversation.client, () => useQuery({ queryKey: ['cart'], queryFn }))
  const view = mount()
  await advanceRendered(10)
  return { ...conversation, ...view, mount, sentAtMs }
}

/** What a person does who looks at another tab for a while. */
async function comeBack(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    focusManager.setFocused(false)
    await advanceRendered(1_000)
    focusManager.setFocused(true)
    await advanceRendered(1_000)
  }
}

async function reconnect(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    onlineManager.setOnline(false)
    await advanceRendered(1_000)
    onlineManager.setOnline(true)
    await advanceRendered(1_000)
  }
}

describe('refetchUnlessTerminal', () => {
  it('asks a 404 once over 5 focuses and 5 reconnects, where TanStack alone asks 11 times', async () => {
    const calm = await mounted([gone])
    await comeBack(5)
    await reconnect(5)
    expect(calm.sentAtMs).toEqual([0])
    calm.unmount()

    const bare = await mounted([gone], { refetchOnWindowFocus: true, refetchOnReconnect: true })
    await comeBack(5)
    await reconnect(5)
    expect(bare.sentAtMs).toHaveLength(11)
  })

  it('keeps a 404 after a success from being asked again, cached data or not', async () => {
    const { result, sentAtMs } = await mounted([tea, gone])
    await comeBack(5)
    await reconnect(5)
    expect(sentAtMs).toHaveLength(2)
    expect(result.current).toMatchObject({ status: 'error', data: 'tea' })
  })

  it('asks a 503 that gave up again each time', async () => {
    const { sentAtMs } = await mounted([unavailable])
    await comeBack(5)
    await reconnect(5)
    expect(sentAtMs).toHaveLength(11)
  })

  it('asks a healthy query as usual: when it is stale, and not before', async () => {
    const { sentAtMs } = await mounted([tea], { staleTime: 6_000 })
    await comeBack(2)
    await reconnect(1)
    expect(sentAtMs).toEqual([0])
    await comeBack(1)
    await reconnect(3)
    expect(sentAtMs).toEqual([0, 7_010, 13_010])
  })

  it('asks again once the person did, and it went well', async () => {
    const { result, client, sentAtMs } = await mounted([gone, tea])
    await comeBack(1)
    expect(sentAtMs).toHaveLength(1)
    void result.current.refetch()
    await advanceRendered(10)
    expect(client.getQueryData(['cart'])).toBe('tea')
    await comeBack(1)
    await reconnect(1)
    expect(sentAtMs).toHaveLength(4)
  })

  it('goes by the classification of the preset: a 404 that may go away is asked again', async () => {
    const { sentAtMs } = await mounted(
      [gone],
      {},
      {
        maxRetries: 0,
        classify: () => ({ kind: 'http', retryable: true, reason: 'not-indexed', effect: 'none' }),
      },
    )
    await comeBack(5)
    expect(sentAtMs).toHaveLength(6)
  })

  it('as `refetchOnMount` keeps a query with data from being asked at each mount', async () => {
    const remount = async (scripts: Script[]) => {
      const { unmount, mount, sentAtMs } = await mounted(scripts, {
        refetchOnMount: refetchUnlessTerminal,
      })
      await comeBack(1)
      unmount()
      mount()
      await advanceRendered(10)
      return sentAtMs.length
    }
    expect(await remount([tea, gone])).toBe(2)
    expect(await remount([tea, unavailable])).toBe(3)
  })

  it.skipIf(process.env.OLDEST_PEERS)(
    'as `retryOnMount` keeps a query without data from being asked at each mount',
    async () => {
      const remount = async (script: Script) => {
        const { unmount, mount, sentAtMs } = await mounted([script], {
          retryOnMount: refetchUnlessTerminal,
        })
        unmount()
        mount()
        await advanceRendered(10)
        return sentAtMs.length
      }
      expect(await remount(gone)).toBe(1)
      expect(await remount(unavailable)).toBe(2)
    },
  )
})
