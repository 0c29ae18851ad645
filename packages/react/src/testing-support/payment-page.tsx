import { useIdempotentMutation } from '../mutations/use-idempotent-mutation.ts'
import type { Script } from './conversation.ts'
import { renderHookWithClient } from './render-with-client.tsx'
import { type Order, problem, startPayments } from './scripted-mutation.ts'

export const ORDER: Order = { id: 'o1', amount: 12 }
export const SUBJECT = ['order', 'o1']
export const UNKNOWN: Script = problem(503, 'outcome-unknown')

/** A page that pays one order, and knows which. */
export function openPage(scripts: Script[], more: object = {}) {
  const payments = startPayments(scripts)
  const { client, named } = payments
  const options = { ...named, subject: SUBJECT, ...more }
  const open = () => renderHookWithClient(client, () => useIdempotentMutation(options))
  const { result, unmount } = open()
  return { ...payments, open, options, page: result, unmount }
}
