import type { ComparedPolicy } from './compared-policy.ts'

/** p-retry as it comes: no jitter and no cap, so the tenth retry waits 8.5 minutes. It reads no `Retry-After`. */
export const pRetry: ComparedPolicy = {
  name: 'p-retry',
  title: 'p-retry: 10 retries after 1, 2, 4 ... 512 s',
  source: 'https://unpkg.com/p-retry@9.0.0/index.js',
  policy: { maxRetries: 10, delayMs: retryIndex => Math.round(1_000 * 2 ** retryIndex) },
}

/** axios-retry as it comes: three retries without any wait, unless the server asks for one. */
export const axiosRetry: ComparedPolicy = {
  name: 'axios-retry',
  title: 'axios-retry’s default: 3 retries at once, or exactly after Retry-After',
  source: 'https://unpkg.com/axios-retry@4.5.0/dist/esm/index.js',
  policy: {
    maxRetries: 3,
    delayMs: (_, __, { failure }) => failure.serverWaitMs ?? 0,
  },
}

/** axios-retry with its own `exponentialDelay`: the longer of backoff and `Retry-After`, and up to a fifth more. */
export const axiosRetryExponential: ComparedPolicy = {
  name: 'axios-retry-exponential',
  title: 'axios-retry’s exponentialDelay: 3 retries after 200, 400 and 800 ms, up to 20 % more',
  source: 'https://unpkg.com/axios-retry@4.5.0/dist/esm/index.js',
  policy: {
    maxRetries: 3,
    delayMs(retryIndex, random, { failure }) {
      const delayMs = Math.max(2 ** (retryIndex + 1) * 100, failure.serverWaitMs ?? 0)
      return delayMs + delayMs * 0.2 * random()
    },
  },
}

/**
 * The standard mode of the AWS SDK for JavaScript: two retries with full jitter over windows of 50 and 100 ms,
 * after a 429 of 1 and 2 s; never more than 5 s beyond that for a `Retry-After`.
 *
 * Its token bucket of 500 is left out: at 14 a retry, one client with one operation never gets to its end.
 */
export const awsSdk: ComparedPolicy = {
  name: 'aws-sdk',
  title: 'AWS SDK for JavaScript: 2 retries, full jitter over 50 and 100 ms',
  source: 'https://unpkg.com/@smithy/core@3.41.1/dist-es/submodules/retry/index.js',
  policy: {
    maxRetries: 2,
    delayMs(retryIndex, random, { failure }) {
      const baseMs = failure.status === 429 ? 1_000 : 50
      const drawMs = Math.floor(random() * Math.min(baseMs * 2 ** retryIndex, 20_000))
      return Math.max(drawMs, Math.min(failure.serverWaitMs ?? 0, drawMs + 5_000))
    },
  },
}
