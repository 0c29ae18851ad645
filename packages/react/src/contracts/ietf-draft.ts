import type { VerdictKind } from '../intents/intent-event.ts'
import type { Answer } from './answer.ts'
import { bodyText, type Contract, createContract, verdictByStatus, verdictOf } from './contract.ts'

export interface IetfDraftOptions {
  /**
   * How long after its first attempt a key may be sent again. Default 5 minutes: the draft leaves it to
   * the server, and one that is not known may forget keys soon. Yours: what it documents, less an hour.
   */
  resendWindowMs?: number
  /** The response header that marks the key's own, final answer. Default `Idempotency-Status`. */
  markerHeader?: string
  /**
   * What your problem types mean, besides the {@link PROBLEMS} that are known: by the whole `type`, or
   * by its last path segment.
   */
  problems?: Readonly<Record<string, VerdictKind>>
  /**
   * What a status means that comes with neither marker nor known type, where your server means one
   * thing by it. `{ 409: 'in-progress', 422: 'mismatch' }` is the draft's own use; by default both are
   * unknown, since frameworks answer 409 and 422 for much else.
   */
  statuses?: Readonly<Record<number, VerdictKind>>
}

/** Problem types by their last path segment: https://query-retry.example/problems/<slug> */
export const PROBLEMS: Readonly<Record<string, VerdictKind>> = {
  'request-in-progress': 'in-progress',
  'order-busy': 'in-progress',
  'key-mismatch': 'mismatch',
  // By another key: this one did nothing, and what the person wants is done.
  'order-already-paid': 'succeeded',
  'payment-declined': 'rejected',
  'order-not-found': 'rejected',
  'order-cancelled': 'rejected',
  'order-changed': 'rejected',
  'cart-empty': 'rejected',
  'key-fenced': 'rejected',
  'outcome-unknown': 'unknown',
  'under-review': 'unknown',
  'result-expired': 'unknown',
}

/**
 * Servers that follow the IETF draft: `Idempotency-Key` as a quoted string. Beyond the draft: problem
 * types (RFC 9457) that tell errors apart, where its own examples give the same `type` to all three, and
 * a header that marks the key's own answer, since it has nothing to tell a replay by.
 *
 * Nothing but a marked 4xx or a known problem type settles a key. The marker and `Retry-After` reach a
 * page of another origin only where `Access-Control-Expose-Headers` lists them; the type, in the body,
 * always does.
 *
 * @see draft-ietf-httpapi-idempotency-key-header-07 §2.1 (quoted string), §2.3 (expiry: the server's, to
 *   be published), §2.7 (400 missing, 409 under way, 422 another payload); expired on 18 April 2026, not
 *   an RFC. RFC 9651 §3.3.3 (string; the draft still names RFC 8941), RFC 9457 §3.1.1 (type)
 * @see https://github.com/ietf-wg-httpapi/idempotency/issues/51 (what the draft leaves open in answers)
 * @example ietfDraft().headers('k1') // => { 'Idempotency-Key': '"k1"' }
 */
export function ietfDraft(options: IetfDraftOptions = {}): Contract {
  const { markerHeader = 'idempotency-status', resendWindowMs = 300_000, statuses } = options
  const problems = { ...PROBLEMS, ...options.problems }
  const marker = markerHeader.toLowerCase()
  return createContract({
    name: 'IETF draft',
    resendWindowMs,
    // A structured-field string escapes what JSON escapes, and a key is visible ASCII.
    headers: key => ({ 'Idempotency-Key': JSON.stringify(key) }),
    verdict(answer) {
      const { status = 0, waitMs } = answer
      const isError = status >= 400
      const isOwn = isError && /^(completed|replayed)$/i.test(answer.header(marker))
      const type = isError ? bodyText(answer, 'type') : ''
      const slug = /([^/#]+)[/#]*$/.exec(type)?.[1] ?? ''
      const kind = own(problems, type) ?? own(problems, slug)
      const reason = kind ? slug : isOwn && slug ? slug : answer.reason
      if (kind === 'unknown') {
        return verdictOf(kind, answer, waitMs === undefined ? 'stop' : 'wait', reason)
      }
      if (kind === 'not-processed') return { ...verdictByKind(kind, answer), reason }
      if (kind) return verdictOf(kind, answer, undefined, reason)
      // A stored 5xx never changes: only a look-up says more.
      if (isOwn) return verdictOf(status < 500 ? 'rejected' : 'unknown', answer, 'stop', reason)
      const byStatus = own(statuses, status)
      return byStatus ? verdictByKind(byStatus, answer) : verdictByStatus(answer)
    },
  })
}

/** A kind that the caller's table gave: what helps is what helps against the status. */
function verdictByKind(kind: VerdictKind, answer: Answer) {
  const { next } = verdictByStatus(answer)
  const isOpen = kind === 'not-processed' || kind === 'unknown'
  return verdictOf(kind, answer, isOpen ? next : undefined)
}

function own<Value>(table: Readonly<Record<string, Value>> = {}, name: string | number) {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
