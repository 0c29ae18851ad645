import { describe, expect, it, vi } from 'vitest'
import type { RetryPresetOptions } from './retry-preset.ts'
import {
  advance,
  followScript,
  installFakeTime,
  startConversation,
} from './testing-support/conversation.ts'

installFakeTime()

/** Fetches a query with this `meta.retry` and tells when it was sent. */
async function sends(retry: unknown, options: RetryPresetOptions = {}, key = 'own policy') {
  const { client, clock } = startConversation(options)
  const { queryFn, sentAtMs } = followScript([{ fails: { status: 503 } }], clock.nowMs)
  client.prefetchQuery({ queryKey: [key], queryFn, meta: { retry } })
  await advance(600_000)
  return sentAtMs
}

describe('meta.retry', () => {
  it('of one query changes its policy and no other', async () => {
    const { client, fetch, clock } = startConversation()
    const { queryFn, sentAtMs } = followScript([{ fails: { status: 503 } }], clock.nowMs)
    client.prefetchQuery({ queryKey: ['own'], queryFn, meta: { retry: { maxRetries: 1 } } })
    const other = fetch([{ fails: { status: 503 } }])
    await advance(60_000)
    expect(sentAtMs).toEqual([0, 600])
    expect(other.sentAtMs).toHaveLength(5)
  })

  it("keeps the preset's options where it names none", async () => {
    expect(await sends({ maxRetries: 1 }, { baseMs: 3_000 })).toEqual([0, 1_600])
  })

  it("keeps the preset's option where its own is undefined", async () => {
    expect(await sends({ maxRetries: undefined }, { maxRetries: 1 })).toEqual([0, 600])
  })

  it('may set every option, the classification as well', async () => {
    const classify = () =>
      ({ kind: 'http', retryable: false, reason: 'mine', effect: 'none' }) as const
    expect(await sends({ classify })).toEqual([0])
  })

  it.each([
    ['a number', 5, 'meta.retry must be an object, but is 5'],
    ['null', null, 'meta.retry must be an object, but is null'],
    ['NaN', NaN, 'meta.retry must be an object, but is NaN'],
    ['false', false, 'meta.retry must be an object, but is false'],
    ['text', 'never', 'meta.retry must be an object, but is "never"'],
    [
      'NaN retries',
      { maxRetries: NaN },
      'maxRetries must be a whole number from 0 to Infinity, but is NaN',
    ],
    ['a negative base', { baseMs: -1 }, 'baseMs must be a number from 1 to 2147483647, but is -1'],
    [
      "a cap below the preset's floor",
      { capMs: 100 },
      'capMs must be a number from 200 to 2147483647, but is 100',
    ],
  ])('that is %s is ignored, with one error in development', async (name, retry, message) => {
    const onError = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(await sends(retry, {}, name)).toHaveLength(5)
    expect(await sends(retry, {}, name)).toHaveLength(5)
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      `[query-retry] Query ["${name}"]: \`meta.retry\` is ignored. ${message}`,
    )
  })

  it('with an unknown name warns once and keeps what it knows', async () => {
    const onWarn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const retry = { maxRetries: 1, maxRetrys: 9 }
    expect(await sends(retry, {}, 'misspelt')).toEqual([0, 600])
    expect(await sends(retry, {}, 'misspelt')).toEqual([0, 600])
    expect(onWarn).toHaveBeenCalledOnce()
    expect(onWarn.mock.calls[0]?.[0]).toContain(
      'meta.retry of query ["misspelt"] has no option `maxRetrys`',
    )
  })

  it.each([5, null, { maxRetries: NaN }, { maxRetrys: 1 }])(
    'that is wrong (%j) is ignored in silence in production',
    async retry => {
      vi.stubEnv('NODE_ENV', 'production')
      const onError = vi.spyOn(console, 'error')
      const onWarn = vi.spyOn(console, 'warn')
      expect(await sends(retry, {}, `production ${JSON.stringify(retry)}`)).toHaveLength(5)
      expect(onError).not.toHaveBeenCalled()
      expect(onWarn).not.toHaveBeenCalled()
    },
  )
})
