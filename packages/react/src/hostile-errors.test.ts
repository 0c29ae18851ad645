import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { retry, retryDelay } from './plain-retry.ts'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

const cyclic: { cause?: unknown } = {}
cyclic.cause = { cause: cyclic }
const throwing = new Proxy(
  {},
  Object.fromEntries(
    Reflect.ownKeys(Reflect).map(trap => [
      trap,
      () => {
        throw new Error('hands off')
      },
    ]),
  ),
)
const plain: { name: string; error: unknown }[] = [
  { name: 'undefined', error: undefined },
  { name: 'null', error: null },
  { name: 'a string', error: 'no' },
  { name: 'a number', error: 503 },
  { name: 'a symbol', error: Symbol('no') },
  { name: 'a frozen object', error: Object.freeze({ status: 404 }) },
  { name: 'a cycle of causes', error: cyclic },
  { name: 'an object without prototype', error: Object.create(null) },
]

describe('an error that is', () => {
  it.each(plain)('$name ends the query after one attempt, untouched', async ({ error }) => {
    const { fetch, stopReasons } = startConversation()
    const ending = fetch([{ fails: error }])
    await advance(60_000)
    expect(ending.sentAtMs).toEqual([0])
    expect(ending.endedAtMs).toBe(0)
    expect(ending.error).toBe(error)
    expect(stopReasons()).toEqual(['not-retryable'])
  })

  it.each([...plain, { name: 'a proxy that throws', error: throwing }])(
    '$name gets a decision when asked about directly',
    ({ error }) => {
      const { preset } = startConversation()
      for (const pair of [preset.queries, { retry, retryDelay }]) {
        expect(pair.retryDelay(0, error)).toBe(0)
        expect(pair.retry(0, error)).toBe(false)
      }
    },
  )

  it('a proxy that throws leaves the query fetching, as TanStack does without us: its own `instanceof` throws', async () => {
    const { fetch, client, stopReasons } = startConversation()
    const ending = fetch([{ fails: throwing }], ['odd'])
    const bare = new QueryClient()
    const queryFn = () => Promise.reject(throwing)
    bare.fetchQuery({ queryKey: ['odd'], queryFn }).catch(() => {})
    await advance(60_000)
    expect(bare.getQueryState(['odd'])?.fetchStatus).toBe('fetching')
    expect(client.getQueryState(['odd'])?.fetchStatus).toBe('fetching')
    // Ours has decided and sends nothing more.
    expect(ending.sentAtMs).toEqual([0])
    expect(stopReasons()).toEqual(['not-retryable'])
  })
})

describe("an option of the caller's that throws", () => {
  const mistake = new Error('a mistake in an option')
  const thrower = () => {
    throw mistake
  }

  it.each([
    ['classify', { classify: thrower }, 'not-retryable'],
    ['random', { random: thrower }, 'not-retryable'],
    ['enabled', { enabled: thrower }, 'disabled'],
  ])('(`%s`) ends the query with its own error, and is reported', async (_, options, reason) => {
    const onConsole = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { fetch, events, client } = startConversation(options)
    const unavailable = { status: 503 }
    const ending = fetch([{ fails: unavailable }], ['mistaken'])
    await advance(60_000)
    expect(ending).toEqual({ sentAtMs: [0], endedAtMs: 0, error: unavailable })
    expect(client.getQueryState(['mistaken'])?.fetchStatus).toBe('idle')
    expect(onConsole).toHaveBeenCalledExactlyOnceWith(expect.any(String), mistake)
    expect(events.at(-1)).toMatchObject({
      type: 'gave-up',
      stopReason: reason,
      optionError: mistake,
    })
  })

  it('(`classify`) ends in the same way where it throws nothing, returns nothing or returns a throwing proxy', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const throwsNothing = () => {
      throw undefined
    }
    for (const classify of [throwsNothing, () => undefined, () => throwing]) {
      const { fetch, stopReasons } = startConversation({ classify: classify as never })
      const ending = fetch([{ fails: { status: 503 } }])
      await advance(60_000)
      expect(ending).toEqual({ sentAtMs: [0], endedAtMs: 0, error: { status: 503 } })
      expect(stopReasons()).toEqual(['not-retryable'])
    }
    expect(console.error).toHaveBeenCalledTimes(3)
  })

  it('(`onEvent` or a subscriber) is reported and disturbs nobody: neither the query nor the listeners after it', async () => {
    const onConsole = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { fetch, eventTypes } = startConversation({ onEvent: thrower })
    const ending = fetch([{ fails: { status: 503 } }, { answers: 'cart' }])
    await advance(60_000)
    expect(ending).toMatchObject({ sentAtMs: [0, 600], data: 'cart' })
    expect(eventTypes()).toEqual([
      'attempt-failed',
      'retry-scheduled',
      'retry-started',
      'recovered',
    ])
    expect(onConsole.mock.calls.map(([, thrown]) => thrown)).toEqual(Array(4).fill(mistake))
  })
})
