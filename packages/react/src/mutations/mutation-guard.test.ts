import { AttemptTimeoutError } from '@query-retry/core'
import { MutationObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RetryPresetOptions } from '../retry-preset.ts'
import {
  advance,
  installFakeTime,
  type Script,
  startConversation,
} from '../testing-support/conversation.ts'
import { OFFLINE, PAID, problem, startPayments } from '../testing-support/scripted-mutation.ts'

installFakeTime()
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => vi.unstubAllGlobals())

const status = (code: number, headers: object = {}): Script => ({
  fails: { status: code, headers },
})

/** What one failure leads to, answered with a success afterwards. */
async function afterOne(script: Script, options: RetryPresetOptions = {}) {
  const { events, record, sends, stopReasons, submit } = startPayments([script, PAID], options)
  submit()
  await advance(120_000)
  return {
    sentAtMs: sends.map(({ atMs }) => atMs),
    stopReasons: stopReasons(),
    state: (await record())?.state,
    events,
  }
}

describe('the mutation guard, under a key', () => {
  it('reports what `classify` throws, and the mutation ends in its own error', async () => {
    const onError = vi.spyOn(console, 'error').mockImplementation(() => {})
    const broken = new Error('broken')
    const classify = () => {
      throw broken
    }
    const { record, sends, submit } = startPayments([OFFLINE], { mutations: { classify } })
    const paying = submit()
    await advance(60_000)
    expect(onError).toHaveBeenCalledWith(expect.any(String), broken)
    expect(paying.error).toBeInstanceOf(TypeError)
    expect(sends).toHaveLength(1)
    expect(await record()).toMatchObject({ state: 'unknown' })
  })

  it.each<[string, Script, number]>([
    ['a lost connection', OFFLINE, 750],
    ['an attempt timeout', { fails: new AttemptTimeoutError(5_000) }, 750],
    ['a 504', status(504), 750],
    [
      'a 504 with Retry-After: 3, which is a lower bound',
      status(504, { 'retry-after': '3' }),
      4_500,
    ],
    ['409 request-in-progress', problem(409, 'request-in-progress'), 750],
    [
      '409 request-in-progress with Retry-After: 2, plus jitter',
      problem(409, 'request-in-progress', { 'retry-after': '2' }),
      2_750,
    ],
  ])('sends again once after %s', async (_, script, delayMs) => {
    const { sentAtMs, state, stopReasons } = await afterOne(script)
    expect(sentAtMs).toEqual([0, delayMs])
    expect(stopReasons).toEqual([])
    expect(state).toBe('succeeded')
  })

  it.each<[string, Script, string, string]>([
    ['a 408', status(408), 'not-retryable', 'unknown'],
    ['a 409 that says no more', status(409), 'not-retryable', 'unknown'],
    ['a 500', status(500), 'not-retryable', 'unknown'],
    ['a 502', status(502), 'not-retryable', 'unknown'],
    ['a 503', status(503), 'not-retryable', 'unknown'],
    ['a 503 with Retry-After', status(503, { 'retry-after': '1' }), 'not-retryable', 'unknown'],
    ['503 outcome-unknown', problem(503, 'outcome-unknown'), 'not-retryable', 'unknown'],
    ['a stored 504', status(504, { 'idempotency-status': 'replayed' }), 'not-retryable', 'unknown'],
    ['a 429', status(429, { 'retry-after': '1' }), 'not-retryable', 'unknown'],
    ['a 425', status(425), 'not-retryable', 'unknown'],
    ['a 401', status(401), 'not-retryable', 'unknown'],
    ['a 400', status(400), 'not-retryable', 'rejected'],
    ['402 payment-declined', problem(402, 'payment-declined'), 'not-retryable', 'rejected'],
    ['422 key-mismatch', problem(422, 'key-mismatch'), 'not-retryable', 'conflict'],
    ['409 order-already-paid', problem(409, 'order-already-paid'), 'not-retryable', 'succeeded'],
    [
      'a programming mistake',
      { fails: new TypeError('x is not a function') },
      'not-retryable',
      'unknown',
    ],
    ['an abort', { fails: new DOMException('', 'AbortError') }, 'cancelled', 'unknown'],
    ['nothing that can be read', { fails: undefined }, 'not-retryable', 'unknown'],
    [
      'a 504 that asks for a minute and more',
      status(504, { 'retry-after': '61' }),
      'server-wait-too-long',
      'unknown',
    ],
  ])('sends nothing more after %s', async (_, script, stopReason, state) => {
    const after = await afterOne(script)
    expect(after.sentAtMs).toEqual([0])
    expect(after.stopReasons).toEqual([stopReason])
    expect(after.state).toBe(state)
  })

  it.each([
    [0, 500],
    [0.999999, 1_000],
  ])('draws the wait from 500 to 1,000 ms: %s gives %s', async (draw, delayMs) => {
    const { sentAtMs } = await afterOne(OFFLINE, { random: () => draw })
    expect(sentAtMs).toEqual([0, delayMs])
  })

  it('waits for a request in progress for 60 s in all, and does not count that', async () => {
    const running = problem(409, 'request-in-progress', { 'retry-after': '10' })
    const { record, sends, stopReasons, submit } = startPayments([running])
    submit()
    await advance(600_000)
    expect(sends.length).toBeGreaterThan(3)
    expect(sends.at(-1)?.atMs).toBeLessThanOrEqual(60_000)
    expect(stopReasons()).toEqual(['server-wait-too-long'])
    expect(await record()).toMatchObject({ state: 'unknown', isUnresolved: true })
  })

  it('still has its one retry after a wait for a request in progress', async () => {
    const running = problem(409, 'request-in-progress')
    const { sends, submit } = startPayments([running, running, OFFLINE, PAID])
    const paying = submit()
    await advance(60_000)
    expect(sends).toHaveLength(4)
    expect(paying.data).toEqual({ receipt: 1 })
  })

  it.each<[string, RetryPresetOptions, number]>([
    ['`mutations: { maxRetries: 0 }`', { mutations: { maxRetries: 0 } }, 1],
    ['`mutations: { maxRetries: 2 }`', { mutations: { maxRetries: 2 } }, 3],
    ['the kill switch', { enabled: () => false }, 1],
    ['options for queries, which leave mutations alone', { maxRetries: 9, deadlineMs: 1 }, 2],
  ])('follows %s', async (_, options, sendCount) => {
    const { sends, submit } = startPayments([OFFLINE], options)
    submit()
    await advance(600_000)
    expect(sends).toHaveLength(sendCount)
  })

  it('retries nothing on a server', async () => {
    const { sends, stopReasons, submit } = startPayments([OFFLINE])
    vi.stubGlobal('window', undefined)
    submit()
    await advance(60_000)
    expect(sends).toHaveLength(1)
    expect(stopReasons()).toEqual(['disabled'])
  })
})

describe('the mutation guard, without a key', () => {
  /** A plain mutation that fails, and what became of it. */
  async function failPlainly(error: unknown) {
    const { client, events, stopReasons } = startConversation()
    let sends = 0
    const mutation = new MutationObserver(client, {
      mutationFn: async () => {
        sends++
        throw error
      },
    })
    const ended = mutation.mutate().catch((thrown: unknown) => thrown)
    await advance(60_000)
    expect(await ended).toBe(error)
    return { events, sends, stopReasons: stopReasons() }
  }

  it.each([
    ['no-stable-key', 'a lost connection', new TypeError('Failed to fetch')],
    ['no-stable-key', 'a 504', { status: 504 }],
    ['not-retryable', 'a 503', { status: 503 }],
    ['not-retryable', 'a 404', { status: 404 }],
    ['not-retryable', 'undefined', undefined],
    ['cancelled', 'an abort', new DOMException('', 'AbortError')],
  ])('refuses with %s after %s', async (reason, _, error) => {
    const { sends, stopReasons } = await failPlainly(error)
    expect(sends).toBe(1)
    expect(stopReasons).toEqual([reason])
  })

  it('says so in events that name no mutation', async () => {
    const { events } = await failPlainly({ status: 504 })
    expect(events).toEqual([
      { type: 'attempt-failed', attempt: 1, elapsedMs: 0, reason: 'http-504' },
      {
        type: 'gave-up',
        attempt: 1,
        elapsedMs: 0,
        reason: 'http-504',
        stopReason: 'no-stable-key',
      },
    ])
  })
})

describe("the guard's two functions", () => {
  const proxy = new Proxy(
    {},
    {
      get() {
        throw new Error('hostile')
      },
    },
  )

  it.each([
    ['undefined', undefined],
    ['a number', NaN],
    ['a text', 'no'],
    ['a proxy that throws', proxy],
    ['a frozen object', Object.freeze({ status: 504 })],
  ])('answer with false and a finite whole number for %s, asked in either order', (_, error) => {
    const { preset } = startConversation()
    const { retry, retryDelay } = preset.mutations
    expect([retryDelay(0, error), retry(0, error)]).toEqual([1_000, false])
    expect([retry(9, error), retryDelay(9, error)]).toEqual([false, 30_000])
  })

  it('do not throw what an option or a listener throws', () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const broken = () => {
      throw new Error('broken')
    }
    const { preset } = startConversation({
      mutations: { classify: broken },
      enabled: broken,
      onEvent: broken,
    })
    expect(preset.mutations.retry(0, { status: 504 })).toBe(false)
  })

  it('take no option that is out of range', () => {
    expect(() => startConversation({ mutations: { maxRetries: -1 } })).toThrow(
      expect.objectContaining({ code: 'RETRY_OPTION', option: 'maxRetries' }),
    )
  })

  it('follow a policy that can be read', () => {
    const { preset } = startConversation({ mutations: { maxRetries: 2 } })
    expect(preset.mutationPolicy.options).toMatchObject({ maxRetries: 2, jitter: 'equal' })
  })

  it('belong to options that cannot be changed afterwards, online', () => {
    const { preset } = startConversation()
    expect(Object.isFrozen(preset.mutations)).toBe(true)
    expect(preset.mutations.networkMode).toBe('online')
    expect(preset.defaultOptions.mutations).toBe(preset.mutations)
  })
})
