import { focusManager, onlineManager, QueryClient, useMutation } from '@tanstack/react-query'
import { act } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IntentError } from './intents/intent-error.ts'
import { createMemoryJournal } from './intents/memory-journal.ts'
import { useIdempotentMutation } from './mutations/use-idempotent-mutation.ts'
import type { Script } from './testing-support/conversation.ts'
import { installNoticeStage, pass, settle } from './testing-support/notice-stage.tsx'
import { openPaymentNotice } from './testing-support/payment-notice.tsx'
import { renderHookWithClient } from './testing-support/render-with-client.tsx'
import { OFFLINE, PAID, problem } from './testing-support/scripted-mutation.ts'
import { useRetryNotice } from './use-retry-notice.ts'

installNoticeStage()
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => vi.unstubAllGlobals())

const RUNNING = problem(409, 'request-in-progress', { 'retry-after': '10' })
const status = (code: number): Script => ({ fails: { status: code } })

describe('the phase of a notice of a mutation under a key', () => {
  it('is idle before the first click, during an attempt that goes well, and after it', async () => {
    const { notice, pay } = openPaymentNotice([{ answers: 'receipt', afterMs: 1_000 }])
    expect(notice()).toMatchObject({ phase: 'idle' })
    await pay()
    expect(notice().phase).toBe('idle')
    await pass(1_000)
    expect(notice().phase).toBe('idle')
  })

  it('is waiting after a lost answer, counts down to the one retry, and is attempting while that is under way', async () => {
    const { clock, notice, pay, sends } = openPaymentNotice([OFFLINE, 'hang'])
    await pay()
    expect(notice()).toMatchObject({
      phase: 'waiting',
      isMutation: true,
      isInProgress: false,
      failureCount: 1,
      failure: { kind: 'network' },
      reason: 'network',
      retryNumber: 1,
      maxRetries: 1,
      secondsLeft: 5,
      queryCount: 0,
      mutationCount: 1,
    })
    expect(notice()).toHaveProperty('retryAtEpochMs', clock.epochMs() + 4_999)
    const seconds: unknown[] = []
    for (let second = 0; second < 4; second++) {
      await pass(1_000)
      seconds.push((notice() as { secondsLeft?: number }).secondsLeft)
    }
    expect(seconds).toEqual([4, 3, 2, 1])
    await pass(1_000)
    expect(sends).toHaveLength(2)
    expect(notice()).toMatchObject({ phase: 'attempting', failureCount: 1 })
  })

  it('is idle again after the retry succeeded', async () => {
    const { notice, pay, page } = openPaymentNotice([OFFLINE, PAID])
    await pay()
    await pass(5_001)
    expect(page.current.pay.data).toEqual({ receipt: 1 })
    expect(notice().phase).toBe('idle')
  })

  it('counts down to the next look at a request in progress, which no number of retries limits', async () => {
    const { notice, pay, sends } = openPaymentNotice([RUNNING, RUNNING, OFFLINE, 'hang'])
    await pay()
    expect(notice()).toMatchObject({
      phase: 'waiting',
      isInProgress: true,
      reason: 'request-in-progress',
      retryNumber: 1,
      maxRetries: Infinity,
      secondsLeft: 15,
    })
    await pass(15_000)
    expect(notice()).toMatchObject({ isInProgress: true, retryNumber: 2, failureCount: 2 })
    await pass(15_000)
    expect(sends).toHaveLength(3)
    // The one retry that counts is still there.
    expect(notice()).toMatchObject({ isInProgress: false, retryNumber: 1, maxRetries: 1 })
  })

  it('is paused offline after a failure, and goes on once online', async () => {
    const { notice, pay } = openPaymentNotice([OFFLINE, 'hang'])
    await pay()
    onlineManager.setOnline(false)
    await pass(5_000)
    expect(notice()).toMatchObject({ phase: 'paused', cause: 'offline', failureCount: 1 })
    await act(async () => onlineManager.setOnline(true))
    await settle()
    expect(notice()).toMatchObject({ phase: 'attempting', failureCount: 1 })
  })

  it('is paused on a cold offline start, and where the wait ends in a hidden page', async () => {
    onlineManager.setOnline(false)
    const { notice, pay } = openPaymentNotice([OFFLINE, 'hang'])
    await pay()
    expect(notice()).toMatchObject({ phase: 'paused', cause: 'offline', failureCount: 0 })
    expect(notice()).toHaveProperty('failure', undefined)
    await act(async () => onlineManager.setOnline(true))
    await settle()
    focusManager.setFocused(false)
    await pass(5_000)
    expect(notice()).toMatchObject({ phase: 'paused', cause: 'hidden', failureCount: 1 })
  })

  it('is not paused where it is behind another mutation of its scope', async () => {
    const { client, notice, pay } = openPaymentNotice([PAID], { scope: { id: 'till' } })
    const before = client.getMutationCache().build(client, {
      mutationFn: () => new Promise(() => {}),
      scope: { id: 'till' },
    })
    before.execute(undefined)
    await pay()
    expect(client.getMutationCache().getAll()[1]?.state.isPaused).toBe(true)
    expect(notice().phase).toBe('idle')
  })

  it('starts over with another click after attempts have ended', async () => {
    const { notice, pay } = openPaymentNotice([OFFLINE, OFFLINE, 'hang'])
    await pay()
    await pass(5_001)
    expect(notice()).toMatchObject({ phase: 'stopped', failureCount: 2 })
    await pay()
    expect(notice().phase).toBe('idle')
  })

  it('stays that of the intent where a second click joins the first during the wait', async () => {
    const order = { id: 'o1', amount: 12 }
    const { notice, pay, sends } = openPaymentNotice([OFFLINE, 'hang'])
    await pay(order)
    await pass(2_000)
    await pay(order)
    expect(notice()).toMatchObject({ phase: 'waiting', secondsLeft: 3, failureCount: 1 })
    await pass(3_000)
    expect(sends).toHaveLength(2)
    expect(notice()).toMatchObject({ phase: 'attempting', mutationCount: 1 })
  })

  it('is waiting for whoever joined, whatever the first attempt’s answer, where two clicks come in one tick', async () => {
    const order = { id: 'o1', amount: 12 }
    const { notice, page, sends } = openPaymentNotice([
      { fails: new TypeError('Failed to fetch'), afterMs: 100 },
      PAID,
    ])
    act(() => {
      page.current.pay.mutate(order)
      page.current.pay.mutate(order)
    })
    await pass(101)
    expect(sends).toHaveLength(1)
    expect(notice()).toMatchObject({ phase: 'waiting', failureCount: 1, mutationCount: 1 })
    await pass(5_000)
    expect(page.current.pay.data).toEqual({ receipt: 1 })
    expect(notice().phase).toBe('idle')
  })

  it('is attempting without a countdown from its first failure on where `retry` is its own', async () => {
    const { notice, pay } = openPaymentNotice([OFFLINE], { retry: 1, retryDelay: 2_000 })
    await pay()
    expect(notice()).toMatchObject({ phase: 'attempting', failureCount: 1 })
    await pass(2_000)
    expect(notice()).toMatchObject({
      phase: 'stopped',
      stopReason: 'disabled',
      failureCount: 2,
      effect: 'unknown',
    })
  })

  it('has no countdown without the preset, and is stopped with the reason disabled', async () => {
    const { named } = openPaymentNotice([OFFLINE])
    const { result } = renderHookWithClient(new QueryClient(), () => {
      const pay = useMutation({ mutationFn: async () => named.mutationFn })
      const fail = useMutation({ mutationFn: () => Promise.reject({ status: 429 }) })
      return { fail, notices: [useRetryNotice(pay), useRetryNotice(fail)] }
    })
    act(() => result.current.fail.mutate())
    await settle()
    expect(result.current.notices).toMatchObject([
      { phase: 'idle' },
      { phase: 'stopped', stopReason: 'disabled', effect: 'none' },
    ])
  })
})

describe('the effect of a stopped mutation under a key', () => {
  const DECLINED = problem(402, 'payment-declined')
  it.each<[string, Script[], string, string]>([
    ['a lost answer, twice', [OFFLINE], 'retries-exhausted', 'unknown'],
    ['a 503', [status(503)], 'not-retryable', 'unknown'],
    ['a definite refusal', [DECLINED], 'not-retryable', 'rejected'],
    ['a definite refusal after a lost answer', [OFFLINE, DECLINED], 'not-retryable', 'rejected'],
    [
      'a 429, which may be the answer to what the browser sent once more by itself',
      [status(429)],
      'not-retryable',
      'unknown',
    ],
    [
      'a 429 after a lost answer, which it does not settle',
      [OFFLINE, status(429)],
      'not-retryable',
      'unknown',
    ],
    ['a 401', [status(401)], 'not-retryable', 'unknown'],
    [
      'a key that belongs to another payload',
      [problem(422, 'key-mismatch')],
      'not-retryable',
      'unknown',
    ],
    ['a request in progress for a minute', [RUNNING], 'server-wait-too-long', 'unknown'],
  ])('after %s', async (_, scripts, stopReason, effect) => {
    const { notice, pay } = openPaymentNotice(scripts)
    await pay()
    await pass(120_000)
    expect(notice()).toMatchObject({ phase: 'stopped', stopReason, effect })
  })

  it('is nothing to speak of where it has happened already, under another key', async () => {
    const { notice, page, pay } = openPaymentNotice([problem(409, 'order-already-paid')])
    await pay()
    expect(page.current.pay.intent.state).toBe('succeeded')
    expect(notice().phase).toBe('idle')
  })

  it('is unknown where the variables were changed between two attempts', async () => {
    const order = { id: 'o1', amount: 12 }
    const { notice, pay, sends } = openPaymentNotice([OFFLINE])
    await pay(order)
    order.amount = 13
    await pass(5_001)
    expect(sends).toHaveLength(1)
    expect(notice()).toMatchObject({ stopReason: 'payload-changed', effect: 'unknown' })
  })

  it('is unknown where another payload of the subject is in doubt, and nothing was sent', async () => {
    const { notice, pay, sends } = openPaymentNotice([status(503)])
    await pay()
    await pay({ id: 'o1', amount: 13 })
    expect(sends).toHaveLength(1)
    expect(notice()).toMatchObject({ phase: 'stopped', effect: 'unknown' })
  })

  it('is none where nothing was sent, since the journal cannot be written', async () => {
    const full = () => Promise.reject(new IntentError('JOURNAL_WRITE', 'full'))
    const journal = { ...createMemoryJournal(), update: full }
    const { notice, pay, sends } = openPaymentNotice([PAID], { journal })
    await pay()
    expect(sends).toHaveLength(0)
    expect(notice()).toMatchObject({ phase: 'stopped', effect: 'none' })
  })

  it('is none where nothing was sent, since nobody is logged in', async () => {
    const { notice, pay, sends } = openPaymentNotice([PAID], { principal: '' })
    await pay()
    expect(sends).toHaveLength(0)
    expect(notice()).toMatchObject({ phase: 'stopped', effect: 'none' })
  })

  it.each([401, 404])(
    'is unknown for whoever has joined a payment of which an answer was lost before its %i, and whose page is gone',
    async code => {
      const { client, named, pay, unmount } = openPaymentNotice([OFFLINE, status(code)], {
        gcTime: 0,
      })
      await pay()
      const { result } = renderHookWithClient(client, () => {
        const joined = useIdempotentMutation(named)
        return { joined, notice: useRetryNotice(joined) }
      })
      act(() => result.current.joined.mutate({ id: 'o1', amount: 12 }))
      await settle()
      unmount()
      await pass(5_001)
      expect(client.getMutationCache().getAll()).toHaveLength(1)
      expect(result.current.joined.intent.state).toBe('unknown')
      expect(result.current.notice).toMatchObject({ phase: 'stopped', effect: 'unknown' })
    },
  )
})

describe('the notice of a mutation without a key', () => {
  /** A page with a plain mutation that fails with each of these in turn. */
  function openPlainPage(errors: unknown[], more: object = {}) {
    const { client } = openPaymentNotice([PAID])
    let sends = 0
    return renderHookWithClient(client, () => {
      const mutation = useMutation({
        mutationFn: () => Promise.reject(errors[Math.min(sends++, errors.length - 1)]),
        ...more,
      })
      return { mutation, notice: useRetryNotice(mutation) }
    }).result
  }

  it.each([
    ['no-stable-key', 'unknown', 'a lost answer', new TypeError('Failed to fetch')],
    ['not-retryable', 'unknown', 'a 503', { status: 503 }],
    ['not-retryable', 'none', 'a 429', { status: 429 }],
    ['not-retryable', 'rejected', 'a 422', { status: 422 }],
    ['cancelled', 'unknown', 'an abort', new DOMException('', 'AbortError')],
    ['not-retryable', 'unknown', 'nothing that can be read', undefined],
    ['not-retryable', 'unknown', 'a text', 'no'],
  ])(
    'is stopped at once, with %s and the effect %s, after %s',
    async (stopReason, effect, _, error) => {
      const page = openPlainPage([error])
      act(() => page.current.mutation.mutate())
      await settle()
      expect(page.current.notice).toMatchObject({
        phase: 'stopped',
        isMutation: true,
        failureCount: 1,
        stopReason,
        effect,
      })
    },
  )

  it('knows nothing of earlier attempts by the answer to the last, where `retry` is its own', async () => {
    const page = openPlainPage([{ status: 504 }, { status: 429 }], { retry: 1, retryDelay: 1_000 })
    act(() => page.current.mutation.mutate())
    await settle()
    expect(page.current.notice).toMatchObject({ phase: 'attempting', failureCount: 1 })
    await act(async () => page.current.notice.cancel())
    await pass(1_000)
    expect(page.current.notice).toMatchObject({ phase: 'stopped', effect: 'unknown' })
  })
})

describe('cancel', () => {
  it('lets a wait end in the error that the mutation already has, and sends nothing', async () => {
    const { cancel, eventTypes, notice, page, pay, record, sends, stopReasons } = openPaymentNotice(
      [OFFLINE, PAID],
    )
    await pay()
    await pass(2_000)
    await cancel()
    expect(notice()).toMatchObject({
      phase: 'stopped',
      stopReason: 'cancelled',
      effect: 'unknown',
      failureCount: 1,
    })
    // TanStack's wait goes on.
    expect(page.current.pay.isPending).toBe(true)
    await pass(3_000)
    expect(page.current.pay).toMatchObject({
      isError: true,
      error: (OFFLINE as { fails: unknown }).fails,
    })
    expect(notice()).toMatchObject({ stopReason: 'cancelled', effect: 'unknown', failureCount: 1 })
    expect(await record()).toMatchObject({ state: 'unknown', reason: 'network' })
    expect(sends).toHaveLength(1)
    expect(eventTypes()).toEqual(['attempt-failed', 'retry-scheduled', 'gave-up'])
    expect(stopReasons()).toEqual(['cancelled'])
    await pass(60_000)
    expect(sends).toHaveLength(1)
  })

  it('ends for all who joined, and the same can be asked for again under the same key', async () => {
    const { cancel, keys, page, pay, submit } = openPaymentNotice([OFFLINE, PAID])
    await pay()
    const joined = submit()
    await settle()
    await cancel()
    await pass(5_000)
    expect(joined.error).toBe((OFFLINE as { fails: unknown }).fails)
    await pay()
    expect(page.current.pay.data).toEqual({ receipt: 1 })
    expect(keys()).toHaveLength(1)
  })

  it('stops the looks at a request in progress', async () => {
    const { cancel, notice, pay, sends } = openPaymentNotice([RUNNING])
    await pay()
    await cancel()
    await pass(120_000)
    expect(sends).toHaveLength(1)
    expect(notice()).toMatchObject({ stopReason: 'cancelled', effect: 'unknown' })
  })

  it('takes nothing back while an attempt is under way, or paused', async () => {
    const { cancel, notice, page, pay } = openPaymentNotice([OFFLINE, PAID])
    await pay()
    onlineManager.setOnline(false)
    await pass(5_000)
    await cancel()
    expect(notice().phase).toBe('paused')
    await act(async () => onlineManager.setOnline(true))
    await settle()
    expect(page.current.pay.data).toEqual({ receipt: 1 })
  })

  it('leaves no countdown running', async () => {
    const { cancel, clock, pay } = openPaymentNotice([OFFLINE])
    await pay()
    await cancel()
    const { sleepCount } = clock
    await pass(4_000)
    expect(clock.sleepCount).toBe(sleepCount)
  })

  it('has no counterpart: "try now" sends nothing', async () => {
    const { notice, pay, sends } = openPaymentNotice([OFFLINE])
    await pay()
    await act(async () => notice().tryNow())
    await settle()
    expect(sends).toHaveLength(1)
    await pass(10_000)
    expect(notice().phase).toBe('stopped')
    await act(async () => notice().tryNow())
    await settle()
    expect(sends).toHaveLength(2)
  })
})
