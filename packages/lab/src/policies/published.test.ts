import { Retry, StandardRetryStrategy } from '@smithy/core/retry'
import { environmentManager, QueryClient, QueryObserver } from '@tanstack/query-core'
import { AxiosError } from 'axios'
import { DEFAULT_OPTIONS, exponentialDelay } from 'axios-retry'
import pRetryItself from 'p-retry'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { seededPolicy } from '../delay-policy.ts'
import type { ComparedPolicy } from './compared-policy.ts'
import { awsSdk, axiosRetry, axiosRetryExponential, pRetry } from './libraries.ts'
import { tanstack } from './tanstack.ts'

/** The delays that a policy gives after one failure upon another, until it gives up. */
function delays({ policy }: ComparedPolicy, error: object, random = () => 0.5): number[] {
  const { decide } = seededPolicy(policy, random)
  const given: number[] = []
  for (let retryIndex = 0; ; retryIndex++) {
    const decision = decide({ error, retryIndex })
    if (!decision.retry) return given
    given.push(decision.drawMs)
  }
}

/** The waits between the calls that a library makes by itself. */
const waits = (calledAtMs: number[]) =>
  calledAtMs.slice(1).map((atMs, index) => atMs - (calledAtMs[index] as number))

const UNAVAILABLE = { status: 503 }
const ASKS_FOR_5_S = { status: 503, headers: { 'retry-after': '5' } }

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('tanstack', () => {
  it('waits as TanStack Query itself does where nothing is set', async () => {
    environmentManager.setIsServer(() => false)
    const calledAtMs: number[] = []
    const queryFn = () => {
      calledAtMs.push(Date.now())
      throw UNAVAILABLE
    }
    const client = new QueryClient()
    const observer = new QueryObserver(client, { queryKey: ['herd'], queryFn })
    const unsubscribe = observer.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(60_000)
    unsubscribe()
    client.clear()
    expect(waits(calledAtMs)).toEqual(delays(tanstack, UNAVAILABLE))
    expect(calledAtMs).toHaveLength(4)
  })
})

// 7.1.1, the newest that runs on Node.js 20; its formula is 9.0.0's.
describe('pRetry', () => {
  it('waits as p-retry itself does where nothing is set', async () => {
    const calledAtMs: number[] = []
    const attempt = () => {
      calledAtMs.push(Date.now())
      throw new Error('503')
    }
    const ended = pRetryItself(attempt).catch(() => 'ended')
    await vi.advanceTimersByTimeAsync(2_000_000)
    expect(await ended).toBe('ended')
    expect(waits(calledAtMs)).toEqual(delays(pRetry, UNAVAILABLE))
    expect(calledAtMs).toHaveLength(11)
  })
})

describe('axiosRetry and axiosRetryExponential', () => {
  it.each([
    { error: UNAVAILABLE, headers: {} },
    { error: ASKS_FOR_5_S, headers: { 'retry-after': '5' } },
  ])('wait as axios-retry’s own formulas say after $error', ({ error, headers }) => {
    const axiosError = new AxiosError()
    axiosError.response = { status: 503, headers } as AxiosError['response']
    const numbers = Array.from({ length: DEFAULT_OPTIONS.retries }, (_, index) => index + 1)
    const itsDefault = numbers.map(number => DEFAULT_OPTIONS.retryDelay(number, axiosError))
    expect(delays(axiosRetry, error)).toEqual(itsDefault)
    const itsExponential = numbers.map(number => exponentialDelay(number, axiosError))
    expect(delays(axiosRetryExponential, error)).toEqual(itsExponential)
  })
})

describe('awsSdk', () => {
  it.each([
    { error: UNAVAILABLE, errorType: 'TRANSIENT' as const },
    { error: { status: 429 }, errorType: 'THROTTLING' as const },
    { error: ASKS_FOR_5_S, errorType: 'TRANSIENT' as const, hintMs: 5_000 },
    {
      error: { status: 503, headers: { 'retry-after': '60' } },
      errorType: 'TRANSIENT' as const,
      hintMs: 60_000,
    },
  ])('waits as the SDK’s own strategy does after $error', async ({ error, errorType, hintMs }) => {
    expect(Retry.v2026).toBe(true)
    const strategy = new StandardRetryStrategy({ maxAttempts: 3 })
    const waited: number[] = []
    const run = async () => {
      let token = await strategy.acquireInitialRetryToken('')
      for (;;) {
        const atMs = Date.now()
        const retryAfterHint = hintMs === undefined ? undefined : new Date(atMs + hintMs)
        token = await strategy.refreshRetryTokenForRetry(token, { errorType, retryAfterHint })
        waited.push(Date.now() - atMs)
      }
    }
    const ended = run().catch(() => 'ended')
    await vi.advanceTimersByTimeAsync(1_000_000)
    expect(await ended).toBe('ended')
    expect(waited).toEqual(delays(awsSdk, error))
    expect(waited).toHaveLength(2)
  })
})
