import { act } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { installFakeTime, type Script } from '../testing-support/conversation.ts'
import { ORDER, openPage, UNKNOWN } from '../testing-support/payment-page.tsx'
import { advanceRendered } from '../testing-support/render-with-client.tsx'
import { PAID } from '../testing-support/scripted-mutation.ts'
import type { KeyAnswer } from './key-answer.ts'

installFakeTime()

describe('resolve()', () => {
  async function resolveWith(answer: KeyAnswer, scripts: Script[] = [UNKNOWN]) {
    const lookUp = vi.fn(async (_key: string) => answer)
    const opened = openPage(scripts, { lookUp })
    act(() => opened.page.current.mutate(ORDER))
    await advanceRendered(10_000)
    await act(() => opened.page.current.resolve())
    await advanceRendered(1)
    return { ...opened, lookUp }
  }

  it.each<[KeyAnswer, object]>([
    [
      { finding: 'succeeded', result: { receipt: 2 } },
      { state: 'succeeded', result: { receipt: 2 } },
    ],
    [{ finding: 'succeeded' }, { state: 'succeeded' }],
    [
      { finding: 'rejected', reason: 'payment-declined' },
      { state: 'rejected', reason: 'payment-declined' },
    ],
    [{ finding: 'running' }, { state: 'unknown' }],
    [{ finding: 'expired' }, { state: 'unknown' }],
    [{ finding: 'not-found' }, { state: 'unknown' }],
    [{ finding: 'waiting' }, { state: 'unknown' }],
    [{ finding: 'review' }, { state: 'unknown' }],
  ])('%o', async (answer, intent) => {
    const { keys, lookUp, page } = await resolveWith(answer)
    expect(lookUp).toHaveBeenCalledWith(keys()[0])
    expect(page.current.intent).toMatchObject(intent)
  })

  it('tells what the server said', async () => {
    const answer = { finding: 'running', waitMs: 3_000 } as const
    const { page } = await resolveWith(answer)
    expect(await page.current.resolve()).toBe(answer)
  })

  it('hands on what `lookUp` throws, and changes nothing', async () => {
    const lookUp = () => Promise.reject(new Error('down'))
    const { page } = openPage([UNKNOWN], { lookUp })
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    await expect(page.current.resolve()).rejects.toThrow('down')
    expect(page.current.intent.state).toBe('unknown')
  })

  it('is refused where somebody else is logged in: theirs is another intent', async () => {
    let principal = 'ann'
    const lookUp = async () => {
      principal = 'bob'
      return { finding: 'rejected' } as const
    }
    const { page, record } = openPage([UNKNOWN], { lookUp, principal: () => principal })
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    await expect(page.current.resolve()).rejects.toMatchObject({ code: 'OTHER_PRINCIPAL' })
    expect(await record()).toMatchObject({ state: 'unknown' })
  })

  it('names the option that is missing', async () => {
    const { page } = openPage([UNKNOWN])
    await expect(page.current.resolve()).rejects.toMatchObject({ option: 'lookUp' })
    await expect(page.current.fence()).rejects.toMatchObject({ option: 'fence' })
  })

  it('does nothing where there is no intent', async () => {
    const lookUp = vi.fn()
    const { page } = openPage([PAID], { lookUp })
    expect(await page.current.resolve()).toBeUndefined()
    expect(lookUp).not.toHaveBeenCalled()
  })
})

describe('fence()', () => {
  it('burns the key, and then another payload may be sent under a new one', async () => {
    const fence = async () => ({ finding: 'burnt', reason: 'key-fenced' }) as const
    const { keys, page } = openPage([UNKNOWN, PAID], { fence })
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    await act(() => page.current.fence())
    await advanceRendered(1)
    expect(page.current.intent).toMatchObject({ state: 'rejected', reason: 'key-fenced' })
    act(() => page.current.mutate({ ...ORDER, amount: 11 }))
    await advanceRendered(1_000)
    expect(page.current.data).toEqual({ receipt: 1 })
    expect(keys()).toHaveLength(2)
  })

  it('that came too late changes nothing but what is known', async () => {
    const fence = async () => ({ finding: 'succeeded', result: { receipt: 3 } }) as const
    const { page } = openPage([UNKNOWN], { fence })
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    await act(() => page.current.fence())
    await advanceRendered(1)
    expect(page.current.intent).toMatchObject({ state: 'succeeded', result: { receipt: 3 } })
  })
})

describe('startOver()', () => {
  it('is refused while nobody knows', async () => {
    const { keys, page } = openPage([UNKNOWN])
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    await expect(page.current.startOver()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(page.current.intent.state).toBe('unknown')
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    expect(keys()).toHaveLength(1)
  })

  it('after a success gives a new key to a second purchase', async () => {
    const { keys, page } = openPage([PAID])
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    await act(() => page.current.startOver())
    await advanceRendered(1)
    expect(page.current).toMatchObject({ status: 'idle', intent: { state: 'none' } })
    act(() => page.current.mutate(ORDER))
    await advanceRendered(1_000)
    expect(keys()).toHaveLength(2)
  })
})
