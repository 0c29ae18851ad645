import { createRetryPolicy, RetryOptionError } from '@query-retry/core'
import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { createRetryPreset } from './retry-preset.ts'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

const MAX = '2147483647'

describe('createRetryPreset', () => {
  it.each([
    ['maxRetries', -1, 'a whole number from 0 to Infinity'],
    ['maxRetries', 1.5, 'a whole number from 0 to Infinity'],
    ['maxRetries', NaN, 'a whole number from 0 to Infinity'],
    ['maxRetries', '4', 'a whole number from 0 to Infinity'],
    ['deadlineMs', 0, 'a number from 1 to Infinity'],
    ['attemptTimeoutMs', 0, `a number from 1 to ${MAX}`],
    ['attemptTimeoutMs', Infinity, `a number from 1 to ${MAX}`],
    ['minAttemptMs', -1, `a number from 0 to ${MAX}`],
    ['reserveMs', -1, `a number from 0 to ${MAX}`],
    ['maxServerWaitMs', NaN, 'a number from 0 to Infinity'],
    ['baseMs', 0, `a number from 1 to ${MAX}`],
    ['capMs', 199, `a number from 200 to ${MAX}`],
    ['floorMs', -1, `a number from 0 to ${MAX}`],
    ['factor', 0.5, `a number from 1 to ${MAX}`],
    ['jitter', 'some', '"full" or "equal" or "decorrelated" or "none"'],
    ['serverWait', 'ignore', '"add" or "max"'],
    ['random', 0.5, 'a function'],
    ['classify', {}, 'a function'],
    ['enabled', false, 'a function'],
    ['clock', 12, 'an object'],
    ['retryOnServer', 'yes', 'true or false'],
    ['onEvent', [], 'a function'],
  ])('refuses %s: %j, naming what it accepts', (option, value, accepted) => {
    let thrown: unknown
    try {
      createRetryPreset({ [option]: value })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(RetryOptionError)
    expect(thrown).toMatchObject({ code: 'RETRY_OPTION', option, value })
    expect(String(thrown)).toContain(`${option} must be ${accepted}, but is `)
  })

  it("refuses a policy's wrong option in production as well", () => {
    vi.stubEnv('NODE_ENV', 'production')
    expect(() => createRetryPreset({ maxRetries: -1 })).toThrow(RetryOptionError)
  })

  it('takes `undefined` for not given', () => {
    const { policy } = createRetryPreset({ maxRetries: undefined, enabled: undefined })
    expect(policy.options).toEqual(createRetryPolicy().options)
  })

  it('shows its policy with every default', () => {
    expect(createRetryPreset({ maxRetries: 2 }).policy.options).toMatchObject({
      maxRetries: 2,
      deadlineMs: 30_000,
      capMs: 8_000,
    })
  })

  it("sets networkMode 'online', which a persister would change to 'offlineFirst'", () => {
    const { defaultOptions } = createRetryPreset()
    const client = new QueryClient({ defaultOptions })
    expect(client.defaultQueryOptions({ queryKey: ['cart'] }).networkMode).toBe('online')
  })

  it('keeps what two presets do apart', async () => {
    const one = startConversation({ maxRetries: 1 })
    const two = startConversation({ maxRetries: 2 })
    const shared = { status: 503 }
    const first = one.fetch([{ fails: shared }])
    const second = two.fetch([{ fails: shared }])
    await advance(60_000)
    expect(first.sentAtMs).toHaveLength(2)
    expect(second.sentAtMs).toHaveLength(3)
  })
})

describe('preset.mutations', () => {
  it.each([503, 429, 504])('never retries without a key, after a %d neither', async status => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { client } = startConversation()
    let sends = 0
    const mutation = client.getMutationCache().build(client, {
      mutationFn: async () => {
        sends++
        throw { status, headers: { 'retry-after': '1' } }
      },
    })
    const done = mutation.execute(undefined).catch(error => error)
    await advance(60_000)
    expect(await done).toMatchObject({ status })
    expect(sends).toBe(1)
  })
})

describe('describe()', () => {
  it('gives back the options as they were given, and the clients that were seen to retry: none yet', () => {
    const options = { maxRetries: 2, budget: false as const, mutations: { maxRetries: 0 } }
    expect(createRetryPreset(options).describe()).toEqual({ ...options, nested: [] })
  })
})
