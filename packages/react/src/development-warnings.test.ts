import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { createRetryPreset } from './retry-preset.ts'
import { advance, installFakeTime, startConversation } from './testing-support/conversation.ts'

installFakeTime()

/** The warnings that so many fetches with these options of their own give. */
async function warningsOf(options: object, fetches = 1) {
  const onWarn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const { client } = startConversation()
  for (let i = 0; i < fetches; i++) {
    client.prefetchQuery({ queryKey: ['cart'], queryFn: () => 'tea', staleTime: 0, ...options })
    await advance(1_000)
  }
  return onWarn.mock.calls.map(([text]) => text)
}

describe('in development', () => {
  it("a query's own `retry: 5` warns once, says why and what to do instead", async () => {
    const warnings = await warningsOf({ queryKey: ['own number'], retry: 5 }, 3)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/Query \["own number"\] has a `retry` of its own \(5\)/)
    expect(warnings[0]).toContain('`meta: { retry: { maxRetries: ... } }`')
  })

  it.each([[true], [0], [() => true]])('a `retry` of its own warns: %s', async retry => {
    expect(await warningsOf({ queryKey: ['own', String(retry)], retry })).toHaveLength(1)
  })

  it('a function of its own is not printed', async () => {
    const [text] = await warningsOf({ queryKey: ['own function'], retry: () => 'secret' })
    expect(text).not.toContain('secret')
  })

  it('`retry: false` and no `retry` do not warn', async () => {
    expect(await warningsOf({ queryKey: ['off'], retry: false })).toEqual([])
    expect(await warningsOf({ queryKey: ['default'] })).toEqual([])
  })

  it('a global `retry` after the spread warns', async () => {
    const onWarn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { queries } = createRetryPreset()
    const client = new QueryClient({ defaultOptions: { queries: { ...queries, retry: 3 } } })
    client.fetchQuery({ queryKey: ['global'], queryFn: () => 'tea' })
    await advance(1_000)
    expect(onWarn).toHaveBeenCalledOnce()
  })

  it('a preset option that does not exist warns once', () => {
    const onWarn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    for (let i = 0; i < 2; i++) createRetryPreset({ maxAttempts: 3 } as object)
    expect(onWarn).toHaveBeenCalledOnce()
    expect(onWarn.mock.calls[0]?.[0]).toContain('createRetryPreset has no option `maxAttempts`')
  })

  it('an option for mutations that does not exist warns', () => {
    const onWarn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    createRetryPreset({ mutations: { maxRetry: 1 } as object })
    expect(onWarn.mock.calls[0]?.[0]).toContain('mutations has no option `maxRetry`')
  })

  it('the options that exist do not warn', () => {
    const onWarn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { policy } = createRetryPreset()
    const attemptTimeoutMs = 5_000
    createRetryPreset({
      ...policy.options,
      attemptTimeoutMs,
      enabled: () => true,
      onEvent: () => {},
      mutations: { attemptTimeoutMs },
    })
    expect(onWarn).not.toHaveBeenCalled()
  })
})

describe('in production', () => {
  it('nothing of it is said', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    createRetryPreset({ maxAttempt: 3 } as object)
    expect(await warningsOf({ queryKey: ['production'], retry: 5 })).toEqual([])
  })
})
