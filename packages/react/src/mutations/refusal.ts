import { IntentError, type IntentErrorCode } from '../intents/intent-error.ts'
import type { RefusalReason } from '../intents/intent-machine.ts'

// Bundlers replace the expression below, and production builds lose the advice with it.
declare const process: { env: { NODE_ENV?: string } }

/** Why an attempt was not sent. */
export type AttemptRefusal =
  | RefusalReason
  /** It is done already, with another payload. */
  | 'other-succeeded'
  /** It is done already, and its result was not kept. */
  | 'result-lost'
  /** A definite refusal has come meanwhile: in another tab, or by a fence. */
  | 'rejected'

/** What to do about it. */
const ADVICE: Record<AttemptRefusal, string> = {
  'outcome-unknown':
    'An earlier payload of this subject may have taken effect. Submit the same again, or resolve() or fence() it first.',
  expired:
    'It may have taken effect, and it is too late to send the key again: resolve() or fence() it.',
  conflict: 'The server has another payload under this key: resolve() it. It is never sent again.',
  'other-principal': 'Somebody else is logged in. It goes on when its own principal is back.',
  'payload-changed':
    'The variables were changed between two attempts. Do not write to what was given to mutate().',
  'needs-confirmation': 'It was asked for too long ago: let the person ask again.',
  'no-intent': 'The journal does not know it any more: submit it again.',
  'other-succeeded':
    'This subject has succeeded with other variables. startOver() before another one, or name a new subject.',
  'result-lost': 'It has succeeded, but its result could not be kept: fetch it from the server.',
  rejected: 'It was definitely refused meanwhile: show that, and submit again under a new key.',
}

/** @param cause - what failed before, where something did */
export function refusalOf(refusal: AttemptRefusal, id: string, cause?: unknown): IntentError {
  const code = refusal.toUpperCase().replace('-', '_') as IntentErrorCode
  const text = `Not sent: ${refusal}`
  const message = process.env.NODE_ENV === 'production' ? text : `${text}. ${ADVICE[refusal]}`
  return new IntentError(code, message, id, cause)
}
