import { type MutationKey, MutationObserver, type QueryClient } from '@tanstack/react-query'
import { ietfDraft } from '../contracts/ietf-draft.ts'
import type { IntentRecord } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'
import { createMemoryJournal } from '../intents/memory-journal.ts'
import {
  type IdempotentMutationContext,
  idempotentMutationOptions,
} from '../mutations/idempotent-mutation-options.ts'
import type { RetryPresetOptions } from '../retry-preset.ts'
import { type Script, startConversation } from './conversation.ts'

export interface Order {
  id: string
  amount: number
}

export interface Sent {
  atMs: number
  key: string
  headers: Record<string, string>
  attempt: number
  amount: number
  signal: AbortSignal
}

/** How a submit went. */
export interface Submitted {
  data?: unknown
  error?: unknown
  endedAtMs?: number
}

export const OFFLINE: Script = { fails: new TypeError('Failed to fetch') }
export const PAID: Script = { answers: { receipt: 1 } }
/** An answer of a server that follows the IETF draft. */
export const problem = (status: number, slug: string, headers: object = {}): Script => ({
  fails: { status, headers, data: { type: `https://query-retry.example/problems/${slug}` } },
})

/** Payments of one person in one page, whose attempts follow the script; the last entry repeats. */
export function startPayments(scripts: Script[], options: RetryPresetOptions = {}) {
  const conversation = startConversation(options)
  const { client, clock } = conversation
  const journal = createMemoryJournal()
  const sends: Sent[] = []

  async function mutationFn(order: Order, context: IdempotentMutationContext): Promise<unknown> {
    const { idempotencyKey: key, headers, attempt, signal } = context
    const script = scripts[Math.min(sends.length, scripts.length - 1)]
    sends.push({ atMs: clock.nowMs(), key, headers, attempt, amount: order.amount, signal })
    if (script === undefined || script === 'hang') return new Promise<never>(() => {})
    if (script.afterMs) await new Promise(resolve => setTimeout(resolve, script.afterMs))
    if ('fails' in script) throw script.fails
    return script.answers
  }

  const named = {
    mutationKey: ['pay'] as MutationKey,
    contract: ietfDraft(),
    intent: ({ id }: Order) => ['order', id],
    principal: 'ann' as string | (() => string),
    journal: journal as Journal,
    mutationFn,
  }

  /** As `mutate` of a component of its own does. */
  function submit(
    order: Order = { id: 'o1', amount: 12 },
    more: object = {},
    from: QueryClient = client,
  ) {
    const mutation = new MutationObserver(from, {
      ...idempotentMutationOptions({ ...named, ...more }),
    })
    const submitted: Submitted & { mutation: typeof mutation } = { mutation }
    mutation
      .mutate(order)
      .then(
        data => {
          submitted.data = data
        },
        error => {
          submitted.error = error
        },
      )
      .finally(() => {
        submitted.endedAtMs = clock.nowMs()
      })
    return submitted
  }

  return {
    ...conversation,
    journal,
    named,
    sends,
    submit,
    keys: () => [...new Set(sends.map(({ key }) => key))],
    record: async (): Promise<IntentRecord | undefined> => (await journal.list('ann'))[0],
  }
}
