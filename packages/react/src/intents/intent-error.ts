/**
 * Nothing was sent, or nothing could be kept, for a reason of ours.
 *
 * Nothing was sent:
 * - `'OUTCOME_UNKNOWN'`: an earlier payload of this subject is unresolved
 * - `'EXPIRED'`: unresolved, and too late to send the key again
 * - `'CONFLICT'`: the server has another payload under this key
 * - `'OTHER_PRINCIPAL'`: somebody else is logged in
 * - `'PAYLOAD_CHANGED'`: the variables were changed between two attempts
 * - `'NEEDS_CONFIRMATION'`: the person asked for it too long ago
 * - `'NO_INTENT'`: the journal does not know it any more
 * - `'OTHER_SUCCEEDED'`: this subject has succeeded with other variables
 * - `'RESULT_LOST'`: it has succeeded, and its result was not kept
 * - `'REJECTED'`: it was definitely refused meanwhile, in another tab or by a fence
 *
 * Nothing could be kept, or no key be made:
 *
 * - `'INTENT_IDENTITY'`: principal, operation or subject names nothing; `at` says which
 * - `'FINGERPRINT'`: the variables hold something without stable JSON; `at` is its path, `variables.items[3].photo`
 * - `'NO_SECURE_RANDOM'`: no source of randomness here is fit for a key
 * - `'JOURNAL_UNAVAILABLE'`: no storage, no Web Lock (plain http), or neither may be used
 * - `'JOURNAL_WRITE'`: the storage is full or closed; `cause` is its own error, `at` the intent's id
 * - `'JOURNAL_UNREADABLE'`: the record `at` is damaged, or of another version
 */
export type IntentErrorCode =
  | 'OUTCOME_UNKNOWN'
  | 'EXPIRED'
  | 'CONFLICT'
  | 'OTHER_PRINCIPAL'
  | 'PAYLOAD_CHANGED'
  | 'NEEDS_CONFIRMATION'
  | 'NO_INTENT'
  | 'OTHER_SUCCEEDED'
  | 'RESULT_LOST'
  | 'REJECTED'
  | 'INTENT_IDENTITY'
  | 'FINGERPRINT'
  | 'NO_SECURE_RANDOM'
  | 'JOURNAL_UNAVAILABLE'
  | 'JOURNAL_WRITE'
  | 'JOURNAL_UNREADABLE'

/** A refusal of the intent layer, told apart by `code`: see {@link IntentErrorCode}. */
export class IntentError extends Error {
  override readonly name = 'IntentError'
  declare readonly code: IntentErrorCode
  /** What it is about, where there is such a thing. Never a part of the payload but its path. */
  declare readonly at: string | undefined

  constructor(code: IntentErrorCode, message: string, at?: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.at = at
  }
}
