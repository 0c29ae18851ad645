import type { IntentRecord, IntentState } from '../intents/intent-record.ts'

/** What is known of an intent, for a page to show. */
export interface IntentView<TData = unknown> {
  /**
   * - `'none'`: nobody has asked for it, or its subject is not known yet
   * - `'loading'`: the journal has not been read yet; so it is on a server
   *
   * The others are those of {@link IntentState}. One that was `'sending'` or `'waiting'` in a page that is
   * gone is `'unknown'`: it may have happened, and nothing more comes by itself.
   */
  state: IntentState | 'none' | 'loading'
  /** The idempotency key, for a look-up of your own or a support line. */
  key?: string
  /** When the key was made, in Unix milliseconds. */
  since?: number
  /** The key is not sent at or after this instant, in Unix milliseconds. */
  willResendUntil?: number
  /** Why it was rejected, or is unknown: a slug such as `payment-declined` or `network`. */
  reason?: string
  /** Of a success: what the mutation returned, as JSON gives it back. */
  result?: TData
}

/** @param isBusy - somebody is busy with it, here or in another page */
export function viewOf(
  record: IntentRecord | undefined,
  nowEpochMs: number,
  isBusy: boolean,
): IntentView {
  if (!record) return { state: 'none' }
  const { createdAtEpochMs, key, reason, result, sendByEpochMs } = record
  let { state } = record
  if (/sending|waiting/.test(state) && !isBusy) state = 'unknown'
  if (state === 'unknown' && nowEpochMs >= sendByEpochMs) state = 'expired'
  return { state, key, since: createdAtEpochMs, willResendUntil: sendByEpochMs, reason, result }
}
