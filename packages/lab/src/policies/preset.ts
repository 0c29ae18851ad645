import { createRetryPolicy, RetryBudget } from '@query-retry/core'
import type { ComparedPolicy } from './compared-policy.ts'

const SOURCE = 'https://www.npmjs.com/package/@query-retry/core'

/**
 * What `createRetryPreset()` does: core's default policy, and a default budget in each client.
 *
 * A client is a browser with one query. Its four retries never get to the end of a budget of 60, so the budget
 * changes nothing here; it bounds a page whose many queries fail together.
 */
export const preset: ComparedPolicy = {
  name: 'preset',
  title: 'query-retry: 4 retries, full jitter drawn from 200 ms to 1, 2, 4 and 8 s',
  source: SOURCE,
  policy: createRetryPolicy(),
  budget: ({ clock }) => new RetryBudget({ clock }),
}

/**
 * The preset with the usual mistake: the draw is lifted to the floor afterwards, `max(floor, draw)`. A fifth of
 * all first retries then come in one millisecond. It reads no `Retry-After`.
 */
export const presetClamped: ComparedPolicy = {
  name: 'preset-clamped',
  title: 'the preset with a clamped floor: max(200 ms, draw from 0 to 1, 2, 4 and 8 s)',
  source: SOURCE,
  policy: {
    maxRetries: 4,
    delayMs: (retryIndex, random) =>
      Math.max(200, random() * Math.min(8_000, 1_000 * 2 ** retryIndex)),
  },
}
