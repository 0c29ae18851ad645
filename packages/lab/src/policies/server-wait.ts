import { classifyFailure, createRetryPolicy } from '@query-retry/core'
import type { ComparedPolicy } from './compared-policy.ts'

/**
 * Four answers to a `Retry-After`, each with as many retries as it takes and without a deadline, so that
 * they can be told apart by when they are done. They want a server that sends one (`retryAfterMs`).
 */
const UNTIL_SERVED = { maxRetries: Infinity, deadlineMs: Infinity }
const SOURCE = 'https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3'

/** Back exactly when the server said, or after 1 s where it did not: all who were told the same stay together. */
export const serverWaitExact: ComparedPolicy = {
  name: 'retry-after-exact',
  title: 'exactly after Retry-After, until served',
  source: SOURCE,
  policy: { delayMs: (_, __, { failure }) => failure.serverWaitMs ?? 1_000 },
}

/** Core's `serverWait: 'max'`: while the draw is the shorter, as `exact`. */
export const serverWaitMax: ComparedPolicy = {
  name: 'retry-after-max',
  title: 'the longer of Retry-After and the draw, until served',
  source: SOURCE,
  policy: createRetryPolicy({ ...UNTIL_SERVED, serverWait: 'max' }),
}

/** What core does after a 429, here after any status: the ordinary draw on top. */
export const serverWaitPlusDraw: ComparedPolicy = {
  name: 'retry-after-plus-draw',
  title: 'Retry-After and the ordinary draw on top, until served',
  source: SOURCE,
  policy: createRetryPolicy({
    ...UNTIL_SERVED,
    classify: (error, options) => ({ ...classifyFailure(error, options), status: undefined }),
  }),
}

/** What core does after a 5xx: a spread on top that is as long as the wait. */
export const serverWaitPlusSpread: ComparedPolicy = {
  name: 'retry-after-plus-spread',
  title: 'Retry-After and a spread as long on top (the preset’s rule), until served',
  source: SOURCE,
  policy: createRetryPolicy(UNTIL_SERVED),
}
