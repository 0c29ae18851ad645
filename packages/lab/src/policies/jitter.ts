import type { ComparedPolicy } from './compared-policy.ts'

/**
 * The formulas that the jitters are known by, with the preset's numbers (base 1 s, cap 8 s, four retries) and
 * without a floor: what differs between them is the jitter alone.
 *
 * The article counts `attempt` without saying from where; here the first retry has 0. Its simulator starts
 * at 1, and so waits twice as long from the first retry on.
 */
const BASE_MS = 1_000
const CAP_MS = 8_000
const maxRetries = 4
const windowMs = (retryIndex: number) => Math.min(CAP_MS, BASE_MS * 2 ** retryIndex)

const ARTICLE = 'https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/'

/** Always the same wait: the herd stays together, and comes back four times. */
export const fixed: ComparedPolicy = {
  name: 'fixed',
  title: '4 retries, 1 s before each',
  source: ARTICLE,
  policy: { maxRetries, delayMs: () => BASE_MS },
}

/** `min(cap, base * 2 ** attempt)`: the herd stays together, at growing distances. */
export const exponential: ComparedPolicy = {
  name: 'exponential',
  title: '4 retries after 1, 2, 4 and 8 s',
  source: ARTICLE,
  policy: { maxRetries, delayMs: windowMs },
}

/** `random_between(0, min(cap, base * 2 ** attempt))` */
export const full: ComparedPolicy = {
  name: 'full',
  title: 'full jitter: anywhere in windows of 1, 2, 4 and 8 s',
  source: ARTICLE,
  policy: { maxRetries, delayMs: (retryIndex, random) => random() * windowMs(retryIndex) },
}

/** `temp / 2 + random_between(0, temp / 2)` with `temp = min(cap, base * 2 ** attempt)` */
export const equal: ComparedPolicy = {
  name: 'equal',
  title: 'equal jitter: in the upper half of windows of 1, 2, 4 and 8 s',
  source: ARTICLE,
  policy: {
    maxRetries,
    delayMs: (retryIndex, random) => (windowMs(retryIndex) / 2) * (1 + random()),
  },
}

/** `min(cap, random_between(base, sleep * 3))`, `sleep` being the previous wait and first `base` */
export const decorrelated: ComparedPolicy = {
  name: 'decorrelated',
  title: 'decorrelated jitter: from 1 s to three times the previous wait, at most 8 s',
  source: ARTICLE,
  policy: {
    maxRetries,
    delayMs: (_, random, { previousDelayMs = BASE_MS }) =>
      Math.min(CAP_MS, BASE_MS + random() * (previousDelayMs * 3 - BASE_MS)),
  },
}
