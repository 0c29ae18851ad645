import { timeLeftMs } from '../deadline.ts'
import type { RetryBudgetOptions } from '../retry-budget.ts'
import {
  createRetryPolicy,
  type ResolvedRetryPolicy,
  type RetryPolicy,
  type RetryPolicyOptions,
} from '../retry-policy.ts'
import type { RunBreaker, RunBudget } from '../run-with-retry.ts'
import { type PolicyRow, policyRows } from './policy-rows.ts'
import { type PolicyWarning, policyWarnings } from './policy-warnings.ts'
import { type RetriedFailures, readRetriedFailures } from './retried-failures.ts'
import { type RetryWait, retryWaits, totalWaits, type WaitTotals } from './retry-waits.ts'

/** Another layer that sends again by itself, inside what the policy takes for one attempt. */
export interface RetryLayer {
  /** `ky`, `gateway`. */
  name: string
  /** Not counting its first call. */
  retries: number
}

/** What a policy's options do not say. Texts are of a sentence or two; each that is missing is listed as to be filled in. */
export interface PolicyFacts {
  /** Title of the page. Default the operation. */
  title?: string
  /** What is sent, and to which API: `GET /cart`. */
  operation?: string
  /** Why sending it twice does no harm. */
  whyRepeatable?: string
  /** Default true. False: what may have happened is not sent again (`runWithRetry`'s option). */
  isRepeatable?: boolean
  /** The idempotency key or request id: for whom it is unique, and how long the server keeps it. */
  id?: string
  /** Where the result of an unknown outcome is looked up: `GET /payments/by-key/{key}`. */
  lookUp?: string
  /** What the person sees while the outcome is unknown. */
  unknownOutcome?: string
  /** Which layer retries, so that no other does. */
  layer?: string
  /** Layers below that retry as well; they multiply. */
  layers?: readonly RetryLayer[]
  /** Clients of which an operation has one, whichever: of these the worst counts. */
  clients?: readonly RetryLayer[]
  /** What is shared by the retries of all operations; false for nothing. A {@link RetryBudget} says its numbers. */
  budget?: (RunBudget & { readonly options?: RetryBudgetOptions }) | false
  breaker?: RunBreaker | false
  /** What shares budget and breaker: `the search service`. Default everything that was given the same ones. */
  scope?: string
  /** How many operations may be under way at a time, and what limits them. */
  concurrency?: string
  /** What ends an operation from outside, and what is sent then. Default what `runWithRetry` does with its `signal`. */
  cancellation?: string
  /** Whatever else belongs on the page. */
  notes?: readonly string[]
  /**
   * The longest single wait that a person bears. Default 10,000; `Infinity` where nobody waits.
   *
   * @see Jakob Nielsen, "Usability Engineering" (1993), chapter 5: 10 s keep a person's attention
   */
  patienceMs?: number
  /** What the server is known to ask for (`Retry-After`), in milliseconds. */
  retryAfterMs?: number
}

/** A policy for a person to judge. Where nothing is said of attempts, they fail at once. */
export interface PolicyDescription extends Omit<WaitTotals, 'retries'> {
  title: string
  /** Attempts of one operation that the settings and the deadline allow, the first included. `Infinity` allowed. */
  attempts: number
  /** Calls that the server may receive for one operation: attempts times what other layers make of each. */
  worstCaseCalls: number
  /** The backoff, retry by retry; those that are alike as one. */
  waits: RetryWait[]
  retried: RetriedFailures
  /** The page, line by line. */
  rows: PolicyRow[]
  /** Settings that hurt; empty where there are none. */
  warnings: PolicyWarning[]
}

/** What rows and warnings are made of. */
export interface PolicyFigures extends Omit<PolicyDescription, 'title' | 'rows' | 'warnings'> {
  options: ResolvedRetryPolicy
  facts: PolicyFacts
  /** The longest wait that leaves time for an attempt; negative where there is none for any. */
  roomMs: number
}

/**
 * Says what a policy's settings come to: attempts, waits on average and at worst, calls at worst, what is
 * retried, and which settings hurt. {@link formatPolicy} makes a page of it.
 *
 * Read from `options` alone: a `decide` of your own is not asked. Its `classify` is, about some 200 errors, and
 * never again. What the settings cannot know (`facts`) is listed as to be filled in.
 *
 * @param policy - a policy, or what one is built from
 * @throws {RetryOptionError} for options that no policy can be built from
 * @example
 * const page = describePolicy({ maxRetries: 2, jitter: 'none' }, { operation: 'GET /cart' })
 * page.attempts // => 3
 * page.worstWaitMs // => 3000
 * page.warnings.map(({ code }) => code) // => ['no-jitter']
 * @example
 * // Averages are exact where the deadline cuts nothing: 0.6 + 1.1 + 2.1 + 4.1 s.
 * describePolicy({}).expectedWaitMs // => 7900
 */
export function describePolicy(
  policy: RetryPolicy | RetryPolicyOptions,
  facts: PolicyFacts = {},
): PolicyDescription {
  const { options } = 'decide' in policy ? policy : createRetryPolicy(policy)
  const { clients = [], isRepeatable = true, layers = [], title, operation } = facts
  const waits = retryWaits(options)
  const { retries, ...totals } = totalWaits(options, waits)
  const attempts = 1 + retries
  const figures: PolicyFigures = {
    options,
    facts,
    roomMs: timeLeftMs(options, 0) - options.minAttemptMs,
    attempts,
    worstCaseCalls:
      Math.max(1, ...clients.map(callsPerAttempt)) *
      layers.reduce((calls, layer) => calls * callsPerAttempt(layer), attempts),
    waits,
    ...totals,
    retried: readRetriedFailures(options, isRepeatable),
  }
  const { options: _, facts: __, roomMs: ___, ...shown } = figures
  return {
    title: title ?? operation ?? 'Retry policy',
    ...shown,
    rows: policyRows(figures),
    warnings: policyWarnings(figures),
  }
}

function callsPerAttempt({ retries }: RetryLayer): number {
  return 1 + retries
}
