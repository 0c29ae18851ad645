import { checkOptions } from '@query-retry/core'
import type { VerdictKind } from '../intents/intent-event.ts'
import { reportThrown } from '../report-thrown.ts'
import { type Answer, readAnswer } from './answer.ts'

/** What an answer says about an idempotency key, and what would help. */
export interface Verdict {
  kind: VerdictKind
  /** A slug with few values, for a person, a log or a metric: `payment-declined`, `http-503`, `network`. */
  reason: string
  /**
   * - `'wait'`: the same may be sent again under the same key, after `waitMs` or a backoff
   * - `'login'`: the same, once the same person has logged in again
   * - `'stop'`: sending it again by itself changes nothing
   */
  next: 'wait' | 'login' | 'stop'
  /** How long the server asks to wait, where it does. */
  waitMs?: number
}

interface ContractBasics {
  /** For messages. */
  readonly name: string
  /**
   * How long after its first attempt a key may be sent again, in milliseconds: what the server keeps
   * keys for, less the longest life of a request on its way and the error of a browser's clock. Finite:
   * a record of it is kept as JSON.
   */
  readonly resendWindowMs: number
  /** The request headers that carry the key. */
  headers(key: string): Record<string, string>
}

/** What {@link createContract} makes a contract of. */
export interface ContractRules extends ContractBasics {
  /** What an error's answer says. */
  verdict(answer: Answer): Verdict
}

/** How a server treats idempotency keys. */
export interface Contract extends ContractBasics {
  /**
   * What an error says. What a mutation function returns is a success, and never comes here. Never
   * rejects.
   */
  verdict(thrown: unknown): Promise<Verdict>
}

/**
 * A contract of your own: plain data and two functions, which keep no state. Leave to
 * {@link verdictByStatus} what your server does not say in a way of its own.
 *
 * Say `rejected` or `succeeded` only of an answer that comes from the layer which knows the key:
 * everything else may be about another attempt than the one that counts. A contract that throws counts
 * as one that knows nothing.
 *
 * @throws {RetryOptionError} for a `resendWindowMs` that is no number of at least 1: of a text, say, the end
 *   of the window could not be told
 * @example
 * import { createContract, verdictByStatus } from '@query-retry/react'
 * const ledger = createContract({
 *   name: 'ledger',
 *   resendWindowMs: 6 * 3_600_000,
 *   headers: key => ({ 'X-Request-Id': key }),
 *   verdict: answer =>
 *     answer.header('x-request-state') === 'refused'
 *       ? { kind: 'rejected', reason: 'refused', next: 'stop' }
 *       : verdictByStatus(answer),
 * })
 * ledger.headers('k1') // => { 'X-Request-Id': 'k1' }
 */
export function createContract(rules: ContractRules): Contract {
  checkOptions(rules, { resendWindowMs: [1, Number.MAX_SAFE_INTEGER] })
  return {
    ...rules,
    async verdict(thrown) {
      const answer = await readAnswer(thrown)
      try {
        return rules.verdict(answer)
      } catch (error) {
        reportThrown(error)
        return verdictOf('unknown', answer)
      }
    },
  }
}

/** Turned away before the work: the request is wrong as it is. */
const WRONG = [400, 404, 405, 411, 413, 414, 415, 431, 501]
/** Who is this? */
const UNAUTHORISED = [401, 403, 407]
/** A limiter (429), early data (425). */
const TOO_SOON = [425, 429]

/**
 * What an answer says by its status alone, whoever sent it: this attempt did nothing, or nobody knows.
 * It never settles a key.
 *
 * A login or a limiter says no more of one attempt than of an earlier one: a browser whose connection
 * dies sends a POST once more by itself, and the page gets the answer to the second, 429, where the first
 * was done. `pnpm chaos:checkout` has it happen. Only a refusal of the request as it is would have come
 * the first time as well.
 *
 * Unknown are a lost answer, every 5xx (somebody in front may have lost the origin, and a 500 may come
 * after the work), 408 (proxies misuse it), 402, 409 and 422 without a word from the layer that knows
 * the key, and a success that was thrown: a captive portal, a login page or a cut body looks like one.
 *
 * @see RFC 9110 §9.2.2 (who may repeat what), §15.5.9 (408); RFC 8470 §5.2 (425); RFC 6585 §4 (429)
 */
export function verdictByStatus(answer: Answer): Verdict {
  const { status = 0 } = answer
  if (WRONG.includes(status)) return verdictOf('not-processed', answer, 'stop')
  if (UNAUTHORISED.includes(status)) return verdictOf('unknown', answer, 'login')
  if (TOO_SOON.includes(status)) return verdictOf('unknown', answer, 'wait')
  const isWorthIt = status
    ? status >= 500 || status === 408 || status === 409
    : answer.isWorthRetrying
  return verdictOf('unknown', answer, isWorthIt ? 'wait' : 'stop')
}

/** A verdict of this kind, with what the answer says of reason and wait. */
export function verdictOf(
  kind: VerdictKind,
  { reason, waitMs }: Answer,
  next: Verdict['next'] = kind === 'in-progress' ? 'wait' : 'stop',
  slug: string = reason,
): Verdict {
  return { kind, reason: slug, next, ...(waitMs !== undefined && { waitMs }) }
}

/** One member of a JSON body, as text; empty where there is none. */
export function bodyText({ body }: Answer, ...path: string[]): string {
  let value: unknown = body
  for (const name of path) value = Object(value)[name]
  return typeof value === 'string' ? value : ''
}
