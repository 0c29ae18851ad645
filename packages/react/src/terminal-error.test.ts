import {
  AttemptTimeoutError,
  CircuitOpenError,
  classifyFailure,
  DeadlineExceededError,
  type Failure,
} from '@query-retry/core'
import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { isTerminal, lastFailure } from './terminal-error.ts'
import {
  advance,
  installFakeTime,
  type Script,
  startConversation,
  unavailable,
} from './testing-support/conversation.ts'

installFakeTime()

const gone: Script = { fails: { status: 404 } }
const askingForTenMinutes: Script = { fails: { status: 503, headers: { 'retry-after': '600' } } }

/** What the last fetch of this query left, and whether it is terminal; undefined where there is nothing. */
function verdict(client: QueryClient, queryKey: readonly unknown[] = ['scripted']) {
  const query = client.getQueryCache().find({ queryKey })
  if (!query) throw new Error('no such query')
  const failure = lastFailure(query)
  return failure && { reason: failure.reason, isTerminal: isTerminal(failure) }
}

describe('isTerminal', () => {
  it.each<[string, unknown]>([
    ['400', { status: 400 }],
    ['401', { status: 401 }],
    ['403', { status: 403 }],
    ['404', { status: 404 }],
    ['410', { status: 410 }],
    ['422', { status: 422 }],
    ['a 503 of a server that says no', { status: 503, headers: { 'x-should-retry': 'false' } }],
  ])('holds for %s', (_, error) => {
    expect(isTerminal(classifyFailure(error))).toBe(true)
  })

  it.each<[string, unknown]>([
    ['408', { status: 408 }],
    ['429', { status: 429 }],
    ['500, which the next deployment may mend', { status: 500 }],
    ['502', { status: 502 }],
    ['503', { status: 503 }],
    ['504', { status: 504 }],
    ['a 409 of a server that says yes', { status: 409, headers: { 'x-should-retry': 'true' } }],
    ['a lost connection', new TypeError('Failed to fetch')],
    ['an attempt timeout', new AttemptTimeoutError(1_000)],
    ['an open circuit', new CircuitOpenError(1_000, 0)],
    ['a deadline', new DeadlineExceededError(30_000, 31_000, undefined)],
    ['an answer that is no JSON', new SyntaxError('Unexpected token <')],
    ['an error that says nothing', new Error('503')],
    ['undefined', undefined],
    ['an abort', new DOMException('aborted', 'AbortError')],
  ])('does not hold for %s', (_, error) => {
    expect(isTerminal(classifyFailure(error))).toBe(false)
  })
})

describe('lastFailure', () => {
  it.each<[string, Script[], object]>([
    ['its retries are used up', [unavailable], {}],
    ['its retries are used up, of none', [unavailable], { maxRetries: 0 }],
    ['the deadline leaves no room', [unavailable], { deadlineMs: 500 }],
    ['the server asks for a wait that is too long', [askingForTenMinutes], {}],
    ['retries are switched off', [unavailable], { enabled: () => false }],
  ])('is not terminal where %s', async (_, scripts, options) => {
    const { fetch, client } = startConversation(options)
    const ending = fetch(scripts)
    await advance(60_000)
    expect(ending.endedAtMs).toBeDefined()
    expect(verdict(client)).toEqual({ reason: 'http-503', isTerminal: false })
  })

  it('is the one before where the deadline was found to have passed after the wait', async () => {
    const { fetch, client, clock } = startConversation({ deadlineMs: 1_000 })
    const ending = fetch([unavailable])
    await advance(100)
    clock.freezeFor(5_000)
    await advance(60_000)
    expect(ending.error).toBeInstanceOf(DeadlineExceededError)
    expect(verdict(client)).toEqual({ reason: 'http-503', isTerminal: false })
  })

  it('is of the last attempt', async () => {
    const { fetch, client } = startConversation()
    fetch([unavailable, gone])
    await advance(60_000)
    expect(verdict(client)).toEqual({ reason: 'http-404', isTerminal: true })
  })

  it('is of the last fetch, which may have failed where no attempt did', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { fetch, client } = startConversation({ maxRetries: 0 })
    fetch([unavailable])
    await advance(1)
    fetch([{ answers: undefined }])
    await advance(1)
    expect(verdict(client)).toEqual({ reason: 'unknown', isTerminal: false })
  })

  it('is undefined before anything failed, after a success, and while a query without data is fetched again', async () => {
    const { fetch, client } = startConversation()
    fetch([{ answers: 'tea', afterMs: 10 }])
    expect(verdict(client)).toBeUndefined()
    await advance(10)
    expect(verdict(client)).toBeUndefined()
    fetch([gone], ['other'])
    await advance(10)
    expect(verdict(client, ['other'])).toMatchObject({ isTerminal: true })
    fetch(['hang'], ['other'])
    await advance(10)
    expect(verdict(client, ['other'])).toBeUndefined()
  })

  it('is undefined where somebody cancelled the fetch: that says nothing of the server', async () => {
    const { fetch, client } = startConversation()
    fetch([unavailable])
    await advance(100)
    client.cancelQueries(undefined, { revert: false })
    await advance(100)
    expect(client.getQueryState(['scripted'])).toMatchObject({ status: 'error' })
    expect(verdict(client)).toBeUndefined()
  })

  const classifyAs =
    (retryable: boolean) =>
    (error: unknown): Failure => ({ ...classifyFailure(error), retryable })

  it.each([
    ['the preset', { classify: classifyAs(true), maxRetries: 0 }, {}],
    ['`meta.retry`', {}, { meta: { retry: { classify: classifyAs(true), maxRetries: 0 } } }],
    [
      'the preset, with no `retry` of its own',
      { classify: classifyAs(true) },
      { retry: false, retryDelay: 1 },
    ],
  ])('is read by the `classify` of %s', async (_, options, queryOptions) => {
    const { client } = startConversation(options)
    const queryFn = () => Promise.reject({ status: 404 })
    client.fetchQuery({ queryKey: ['cart'], queryFn, ...queryOptions }).catch(() => {})
    await advance(1)
    expect(verdict(client, ['cart'])).toEqual({ reason: 'http-404', isTerminal: false })
  })

  it('is terminal where `classify` says so of a 429, and where it throws', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const classifiers = [
      classifyAs(false),
      () => {
        throw new Error('mistaken')
      },
    ]
    for (const classify of classifiers) {
      const { fetch, client } = startConversation({ classify })
      fetch([{ fails: { status: 429 } }])
      await advance(1)
      expect(verdict(client)).toEqual({ reason: 'http-429', isTerminal: true })
    }
  })

  it('is read by classifyFailure where the query went through no preset', async () => {
    const client = new QueryClient()
    const fetch = (status: number) =>
      client
        .fetchQuery({ queryKey: [status], queryFn: () => Promise.reject({ status }), retry: false })
        .catch(() => {})
    fetch(404)
    fetch(503)
    await advance(1)
    expect(verdict(client, [404])).toEqual({ reason: 'http-404', isTerminal: true })
    expect(verdict(client, [503])).toEqual({ reason: 'http-503', isTerminal: false })
  })

  it('never throws, whatever the error is', () => {
    const client = new QueryClient()
    const query = client.getQueryCache().build(client, { queryKey: ['odd'] })
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
    for (const error of [throwing, undefined, null, Symbol('no'), Object.create(null)]) {
      query.setState({ status: 'error', error: error as Error })
      expect(verdict(client, ['odd'])).toEqual({ reason: 'unknown', isTerminal: false })
    }
  })
})
