import type { ComparedPolicy } from './compared-policy.ts'

/** What TanStack Query does where nobody sets `retry`: three retries, whatever failed, without jitter. */
export const tanstack: ComparedPolicy = {
  name: 'tanstack',
  title: 'TanStack Query’s default: 3 retries after 1, 2 and 4 s',
  source: 'https://unpkg.com/@tanstack/query-core@5.108.4/src/retryer.ts',
  policy: {
    maxRetries: 3,
    delayMs: retryIndex => Math.min(1_000 * 2 ** retryIndex, 30_000),
  },
}
