import { hashKey, type MutationKey } from '@tanstack/react-query'
import type { IntentIdentity, IntentSubject } from '../intents/intent-record.ts'

/** Who is logged in: the value, or what a function says now. */
export type Principal = string | (() => string)

export function principalNow(principal: Principal | undefined): string {
  return String((typeof principal === 'function' ? principal() : principal) ?? '')
}

/** What tells an intent from another. A missing part is empty, and refused where an id is made of it. */
export function nameIntent(
  mutationKey: MutationKey | undefined,
  principal: Principal | undefined,
  subject: IntentSubject,
): IntentIdentity {
  const operation = mutationKey ? hashKey(mutationKey) : ''
  return { principal: principalNow(principal), operation, subject }
}
