import { readServerWait } from '@query-retry/core'
import { ietfDraft } from '../contracts/ietf-draft.ts'
import type { KeyFinding } from '../intents/intent-event.ts'

/** What a server says of a key that it was asked about (look-up), or asked to burn (fence). */
export interface KeyAnswer<TData = unknown> {
  finding: KeyFinding
  /** Of `succeeded`: what the mutation would have returned, where the server tells. */
  result?: TData
  /** A slug for a person: `payment-declined`. */
  reason?: string
  /** Of `running`: when to ask again. */
  waitMs?: number
}

/** Asks the server about a key. What it throws goes to whoever asked, and nothing changes. */
export type AskAboutKey<TData = unknown> = (key: string) => Promise<KeyAnswer<TData>>

/**
 * Reads the answer of a server that tells what became of a key as apps/checkout-api does:
 * `{ state: 'done', answer: { status, body } }`, another `state` (`running`, `waiting`, `review`,
 * `expired`), or 404. For a `lookUp`, and for a `fence`.
 *
 * @throws the response itself where it says nothing of the key (401, 503)
 * @example
 * const response = Response.json({ state: 'done', answer: { status: 201, body: { id: 'pay_1' } } })
 * const answer = await readKeyAnswer(response)
 * answer // => { finding: 'succeeded', result: { id: 'pay_1' } }
 */
export async function readKeyAnswer<TData>(response: Response): Promise<KeyAnswer<TData>> {
  if (response.status === 404) return { finding: 'not-found' }
  if (!response.ok) throw response
  const { state, answer } = (await response.json()) as {
    state: KeyFinding | 'done'
    answer?: { status: number; body: TData }
  }
  if (state !== 'done' || !answer) {
    const waitMs = readServerWait(response.headers)
    return { finding: state as KeyFinding, ...(waitMs !== undefined && { waitMs }) }
  }
  const { status, body } = answer
  if (status < 400) return { finding: 'succeeded', result: body }
  // Whatever is stored under a key is its own, final answer.
  const told = { status, data: body, headers: { 'idempotency-status': 'replayed' } }
  const { kind, reason } = await ietfDraft().verdict(told)
  if (reason === 'key-fenced') return { finding: 'burnt', reason }
  if (kind === 'succeeded' || kind === 'rejected') return { finding: kind, reason }
  return { finding: 'review', reason }
}
