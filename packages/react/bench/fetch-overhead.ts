import { createRetryPreset } from '@query-retry/react'
import { type DefaultOptions, QueryClient } from '@tanstack/react-query'
import { median } from './median.ts'

const WARM_UP = 100
const ROUNDS = 600
const FETCHES = 100

const preset = createRetryPreset({ retryOnServer: true })
const limited = createRetryPreset({ retryOnServer: true, attemptTimeoutMs: 10_000 })
const staleTime = 60_000

/**
 * What is compared, each against its first. A process compares one pair only: V8 optimises TanStack's
 * merging of options for the shapes that it has met.
 */
export const COMPARISONS: Record<string, [name: string, options: DefaultOptions][]> = {
  'against a bare client': [
    ['bare', {}],
    ['bare, once more', {}],
    ['preset.defaultOptions', preset.defaultOptions],
  ],
  'the same with an attempt timeout': [
    ['bare', {}],
    ['attemptTimeoutMs: 10_000', limited.defaultOptions],
  ],
  'against a client with options of its own': [
    ['{ staleTime, retry: 3 }', { queries: { staleTime, retry: 3 } }],
    ['{ ...preset.queries, staleTime }', { queries: { ...preset.queries, staleTime } }],
  ],
}

/**
 * Time per `fetchQuery` that succeeds at once, as medians of many short rounds, each in another order, so
 * that what disturbs the machine disturbs all alike.
 */
export async function compareFetches(comparison: string) {
  const contestants = COMPARISONS[comparison] ?? []
  const times = contestants.map((): number[] => [])
  const order = contestants.map((_, index) => index)
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const index of order.sort(() => Math.random() - 0.5)) {
      const microseconds = await timeFetches(contestants[index]?.[1] as DefaultOptions)
      if (round >= WARM_UP) times[index]?.push(microseconds)
    }
  }
  const medians = times.map(median)
  const [first = 1] = medians
  return medians.map((microseconds, index) => ({
    name: contestants[index]?.[0] ?? '',
    microseconds,
    ratio: microseconds / first,
  }))
}

/** Microseconds per fetch, each of another query. */
async function timeFetches(defaultOptions: DefaultOptions): Promise<number> {
  const client = new QueryClient({ defaultOptions })
  const queryFn = async () => 1
  const startMs = performance.now()
  for (let index = 0; index < FETCHES; index++) {
    await client.fetchQuery({ queryKey: [index], queryFn })
  }
  const microseconds = ((performance.now() - startMs) * 1_000) / FETCHES
  client.clear()
  return microseconds
}
