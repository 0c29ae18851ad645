// @vitest-environment node
import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb'
import { MutationObserver, QueryClient } from '@tanstack/react-query'
import axios from 'axios'
import axiosRetry, { type IAxiosRetryConfig } from 'axios-retry'
import got from 'got'
import ky from 'ky'
import { ofetch } from 'ofetch'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ietfDraft } from './contracts/ietf-draft.ts'
import type { RetryPresetOptions } from './retry-preset.ts'
import { startCountingServer } from './testing-support/counting-server.ts'

let server: Awaited<ReturnType<typeof startCountingServer>>
beforeAll(async () => {
  server = await startCountingServer()
})
afterAll(() => server.close())
afterEach(() => vi.restoreAllMocks())

type Send = (url: string) => Promise<unknown>

/** As each client comes, but for the time it waits between its calls. */
const kyRetry = { delay: () => 1 }
const gotRetry = { backoffLimit: 1, noise: 0 }
const axiosWith = (options?: IAxiosRetryConfig) => {
  const client = axios.create()
  axiosRetry(client, options)
  return client
}
const byAws =
  (options: DynamoDBClientConfig): Send =>
  endpoint =>
    new DynamoDBClient({
      ...options,
      endpoint,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    }).send(new ListTablesCommand({}))

/** A page of its own, which has warned of nothing yet, with a preset that hardly waits. */
async function openPage(options: RetryPresetOptions) {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.resetModules()
  const { createRetryPreset } = await import('./retry-preset.ts')
  const { idempotentMutationOptions } = await import('./mutations/idempotent-mutation-options.ts')
  const preset = createRetryPreset({
    baseMs: 1,
    floorMs: 0,
    capMs: 1,
    mutations: { baseMs: 1, floorMs: 0, capMs: 1 },
    retryOnServer: true,
    ...options,
  })
  return {
    client: new QueryClient({ defaultOptions: preset.defaultOptions }),
    idempotentMutationOptions,
    nested: () => preset.describe().nested,
    warnings: () => warn.mock.calls.map(([text]) => String(text)),
  }
}

/** Fetches one query to its bitter end, and says what the server received and what was said of it. */
async function fetchInVain(send: Send, path: string, options: RetryPresetOptions = {}) {
  const { client, nested, warnings } = await openPage(options)
  const queryFn = () => send(server.base + path)
  server.takeCalls()
  await expect(client.fetchQuery({ queryKey: ['cart'], queryFn })).rejects.toThrow()
  return { received: server.takeCalls(), warnings: warnings(), nested: nested() }
}

describe('warnAboutNestedRetries, real clients against a server that counts', () => {
  it.each<[string, number, number, string, Send]>([
    ['ky', 2, 15, '`retry: 0`', url => ky.get(url, { retry: kyRetry })],
    ['ky', 4, 25, '`retry: 0`', url => ky.put(url, { retry: { ...kyRetry, limit: 4 } }).json()],
    ['ofetch', 1, 10, '`retry: false`', url => ofetch(url)],
    ['ofetch', 3, 20, '`retry: false`', url => ofetch(url, { retry: 3, retryDelay: 1 })],
    ['ofetch', 2, 15, '`retry: false`', url => ofetch.create({ retry: 2, timeout: 5_000 })(url)],
    ['ofetch', 4, 25, '`retry: false`', url => ofetch.raw(url, { retry: 4, onRequest() {} })],
    ['ofetch', 1, 10, '`retry: false`', url => ofetch(url, { method: 'POST', retry: 1 })],
    ['axios-retry', 3, 20, "`'axios-retry': { retries: 0 }`", url => axiosWith().get(url)],
    ['axios-retry', 1, 10, 'retries: 0', url => axiosWith({ retries: 1 }).delete(url)],
    ['got', 2, 15, '`retry: { limit: 0 }`', url => got(url, { retry: gotRetry })],
    ['got', 1, 10, 'limit: 0', url => got(url, { retry: { ...gotRetry, limit: 1 } }).json()],
    ['AWS SDK', 1, 10, '`maxAttempts: 1`', byAws({ maxAttempts: 2 })],
  ])(
    '%s %i + preset 4 = up to %i calls after a 503, as many as the server receives',
    async (client, retries, calls, off, send) => {
      const { nested, received, warnings } = await fetchInVain(send, '/503')
      expect(received).toBe(calls)
      expect(warnings).toEqual([
        expect.stringMatching(/^\[query-retry\] Query \["cart"\] failed in /),
      ])
      expect(warnings[0]).toContain(`${client} ${retries} + preset 4 = up to ${calls} calls.`)
      expect(warnings[0]).toContain(off)
      expect(nested).toEqual([{ client, retries, calls }])
    },
  )

  it.each<[string, number, number, Send]>([
    ['ofetch', 1, 4, url => ofetch(url)],
    ['axios-retry', 3, 8, url => axiosWith().get(url)],
    ['axios-retry', 2, 6, url => axiosWith({ retries: 2 }).post(url)],
    ['got', 2, 6, url => got(url, { retry: gotRetry })],
    ['AWS SDK', 2, 6, byAws({ maxAttempts: 3 })],
  ])(
    '%s %i + preset 1 = up to %i calls after lost connections, as many as the server receives',
    async (client, retries, calls, send) => {
      const { nested, received, warnings } = await fetchInVain(send, '/close', { maxRetries: 1 })
      expect(received).toBe(calls)
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toContain(`${client} ${retries} + preset 1 = up to ${calls} calls.`)
      expect(nested).toEqual([{ client, retries, calls }])
    },
  )

  it('an error that the query function wraps is read through its `cause`', async () => {
    const send: Send = async url => {
      await ky.get(url, { retry: kyRetry }).catch(cause => {
        throw new Error('No cart', { cause })
      })
    }
    const { received, nested } = await fetchInVain(send, '/503')
    expect(received).toBe(15)
    expect(nested).toEqual([{ client: 'ky', retries: 2, calls: 15 }])
  })

  it('ky 2 + preset 4 are 15 calls after lost connections as well, which its error does not show', async () => {
    const { received, warnings } = await fetchInVain(
      url => ky.get(url, { retry: kyRetry }),
      '/close',
    )
    expect(received).toBe(15)
    expect(warnings).toEqual([])
  })

  it.each<[string, Send]>([
    ['ky with `retry: 0`', url => ky.get(url, { retry: 0 })],
    ['ofetch with `retry: 0`', url => ofetch(url, { retry: 0 })],
    ['ofetch with `retry: 0` after headers', url => ofetch(url, { headers: { a: 'b' }, retry: 0 })],
    ['ofetch with `retry: false`', url => ofetch(url, { retry: false })],
    ['axios without axios-retry', url => axios.get(url)],
    [
      "axios with `'axios-retry': { retries: 0 }`",
      url => axiosWith().get(url, { 'axios-retry': { retries: 0 } }),
    ],
    ['got with `retry: { limit: 0 }`', url => got(url, { retry: { limit: 0 } })],
    ['AWS SDK with `maxAttempts: 1`', byAws({ maxAttempts: 1 })],
  ])('%s is one call in each attempt, and nothing is said', async (_, send) => {
    expect(await fetchInVain(send, '/503')).toEqual({
      received: 5,
      warnings: [],
      nested: [],
    })
  })

  it.each<[string, Send]>([
    ['ky: POST', url => ky.post(url)],
    ['ofetch: POST', url => ofetch(url, { method: 'POST' })],
    ['axios-retry: POST', url => axiosWith().post(url)],
    ['got: POST', url => got.post(url)],
    ['ky: `statusCodes`', url => ky.get(url, { retry: { statusCodes: [500] } })],
    ['ofetch: `retryStatusCodes`', url => ofetch(url, { retry: 2, retryStatusCodes: [500] })],
    ['axios-retry: `retryCondition`', url => axiosWith({ retryCondition: () => false }).get(url)],
    ['got: `statusCodes`', url => got(url, { retry: { statusCodes: [500] } })],
    ['ky: `shouldRetry`', url => ky.get(url, { retry: { shouldRetry: () => false } })],
    ['got: `calculateDelay`', url => got(url, { retry: { calculateDelay: () => 0 } })],
  ])(
    'what a client does not retry is one call in each attempt, and nothing is said. %s',
    async (_, send) => {
      expect(await fetchInVain(send, '/503')).toEqual({
        received: 5,
        warnings: [],
        nested: [],
      })
    },
  )

  it('ofetch inside the hook of an ofetch that retries is not taken for a retry', async () => {
    const send: Send = url =>
      ofetch(url, { retry: 2, onRequest: () => ofetch(url, { retry: 0 }).then(() => {}) })
    expect(await fetchInVain(send, '/503')).toEqual({ received: 5, warnings: [], nested: [] })
  })

  it.each<[string, RetryPresetOptions, string]>([
    ['a status that it takes for a bug', {}, '/500'],
    ['`maxRetries: 0`', { maxRetries: 0 }, '/503'],
    ['`enabled` saying no', { enabled: () => false }, '/503'],
  ])('where the preset does not retry, nothing is said: %s', async (_, options, path) => {
    const send: Send = url => ky.get(url, { retry: kyRetry })
    expect(await fetchInVain(send, path, options)).toEqual({
      received: 3,
      warnings: [],
      nested: [],
    })
  })

  it('a mutation under a key: axios-retry 3 + preset 1 = up to 8 calls', async () => {
    const { client, idempotentMutationOptions, nested, warnings } = await openPage({})
    const options = idempotentMutationOptions({
      mutationKey: ['pay'],
      contract: ietfDraft(),
      mutationFn: (order: object, { headers }) =>
        axiosWith().post(`${server.base}/close`, order, { headers }),
    })
    server.takeCalls()
    const paying = new MutationObserver(client, options).mutate({ id: '1001' })
    await expect(paying).rejects.toThrow()
    expect(server.takeCalls()).toBe(8)
    expect(nested()).toEqual([{ client: 'axios-retry', retries: 3, calls: 8 }])
    expect(warnings()).toEqual([
      expect.stringMatching(
        /Mutation \["pay"\] failed in axios-retry.* 3 \+ preset 1 = up to 8 calls.*preset's with `retry: false`/,
      ),
    ])
  })
})
