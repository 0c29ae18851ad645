import { createRetryPolicy } from '@query-retry/core'
import { median } from './median.ts'

const DECISIONS = 50_000

/** How many failures per second a policy decides, reading of the error and its headers included. */
export function measureDecisions() {
  const policy = createRetryPolicy()
  const date = new Date(Date.UTC(2026, 0, 1)).toUTCString()
  const errors = {
    plainStatus: { status: 503 },
    fetchResponse: new Response(null, { status: 429, headers: { 'Retry-After': '2', Date: date } }),
    networkError: new TypeError('Failed to fetch'),
  }
  const perSecond = (error: unknown) =>
    median(
      Array.from({ length: 15 }, () => {
        const start = performance.now()
        for (let index = 0; index < DECISIONS; index++) {
          policy.decide({ error, retryIndex: index % 4, elapsedMs: 100 })
        }
        return (DECISIONS / (performance.now() - start)) * 1_000
      }),
    )
  return Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, perSecond(error)]))
}
