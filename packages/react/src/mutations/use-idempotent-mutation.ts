import {
  type DefaultError,
  type QueryClient,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { type IntentSubject, intentId } from '../intents/intent-record.ts'
import {
  type IdempotentMutationOptions,
  idempotentMutationOptions,
} from './idempotent-mutation-options.ts'
import { nameIntent } from './intent-names.ts'
import { createIntentSource } from './intent-source.ts'
import type { IntentView } from './intent-view.ts'
import type { KeyAnswer } from './key-answer.ts'

export type UseIdempotentMutationOptions<
  TData = unknown,
  TError = DefaultError,
  TVariables = void,
  TOnMutateResult = unknown,
> = IdempotentMutationOptions<TData, TError, TVariables, TOnMutateResult> &
  (
    | {
        intent: (variables: TVariables) => IntentSubject
        /**
         * The subject that this page is about: `['order', id]`. With it, `intent` says after a reload what
         * became of it. Default: what `intent` makes of the latest variables.
         */
        subject?: IntentSubject
      }
    // Without `intent` nothing outlives an execution, and there is nothing to say of a subject.
    | { intent?: undefined; subject?: undefined }
  )

export type UseIdempotentMutationResult<
  TData = unknown,
  TError = DefaultError,
  TVariables = unknown,
  TOnMutateResult = unknown,
> = UseMutationResult<TData, TError, TVariables, TOnMutateResult> & {
  /** What is known of the intent: over renders, reloads and tabs. What a page offers depends on it. */
  intent: IntentView<TData>
  /**
   * Asks the server what became of it (`lookUp`), and keeps the answer.
   *
   * @returns the answer; undefined where there is no intent to ask about
   * @throws what `lookUp` throws, and `RetryOptionError` where there is none
   */
  resolve(): Promise<KeyAnswer<TData> | undefined>
  /**
   * Has the server burn the key (`fence`), so that whatever is still under way does nothing. Then, and
   * only if `intent.state` is `'rejected'`, another payload may be submitted.
   *
   * @returns the answer; undefined where there is no intent to burn
   * @throws what `fence` throws, and `RetryOptionError` where there is none
   */
  fence(): Promise<KeyAnswer<TData> | undefined>
  /**
   * Forgets what is settled, for another one of the same: the next submit has a new key.
   *
   * @throws {IntentError} `OUTCOME_UNKNOWN` where it is not settled
   */
  startOver(): Promise<void>
}

/**
 * `useMutation` for something that must happen once: see {@link idempotentMutationOptions}.
 *
 * A second submit of the same joins the first: one request, and both callers get its result. Decide by
 * `intent.state` what the page offers, not by `status`: a mutation that failed may have happened.
 *
 * @example
 * const pay = useIdempotentMutation({
 *   mutationKey: ['pay'],
 *   contract: ietfDraft(),
 *   journal: defaultJournal(),
 *   subject: ['order', '1001'],
 *   intent: (order: { id: string; amount: number }) => ['order', order.id],
 *   principal: 'ann',
 *   async mutationFn(order, { headers, signal }) {
 *     const response = await fetch('/payments', { method: 'POST', body: JSON.stringify(order), headers, signal })
 *     if (!response.ok) throw response
 *     return response.json()
 *   },
 * })
 * const order = { id: '1001', amount: 12 }
 * if (pay.intent.state === 'succeeded') return <p>Thank you!</p>
 * if (pay.intent.state === 'unknown') return <button onClick={() => pay.mutate(order)}>Check again</button>
 * return <button onClick={() => pay.mutate(order)}>Pay</button>
 */
export function useIdempotentMutation<
  TData = unknown,
  TError = DefaultError,
  TVariables = void,
  TOnMutateResult = unknown,
>(
  options: UseIdempotentMutationOptions<TData, TError, TVariables, TOnMutateResult>,
  queryClient?: QueryClient,
): UseIdempotentMutationResult<TData, TError, TVariables, TOnMutateResult> {
  const mutation = useMutation(idempotentMutationOptions(options), queryClient)
  const { reset } = mutation
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  const currentId = idOf(options, mutation)
  const [lastId, remember] = useState(currentId)
  // `reset()` forgets the variables, and so what the page is about; what happened has happened.
  const id = currentId ?? lastId
  if (id !== lastId) remember(id)
  const source = useMemo(() => createIntentSource(id, () => latest.current as never), [id])
  const intent = useSyncExternalStore(source.subscribe, source.getSnapshot, source.getSnapshot)
  const startOver = useCallback(async () => {
    await source.startOver()
    reset()
  }, [source, reset])
  const { fence, resolve } = source
  return { ...mutation, intent, resolve, fence, startOver } as UseIdempotentMutationResult<
    TData,
    TError,
    TVariables,
    TOnMutateResult
  >
}

/** Undefined where nobody can say yet what it is about, or who asks. */
function idOf<TVariables>(
  {
    mutationKey,
    principal,
    intent,
    subject,
  }: Pick<
    UseIdempotentMutationOptions<unknown, unknown, TVariables>,
    'mutationKey' | 'principal' | 'intent' | 'subject'
  >,
  { submittedAt, variables }: { submittedAt: number; variables: TVariables | undefined },
): string | undefined {
  try {
    const about = subject ?? (submittedAt ? intent?.(variables as TVariables) : undefined)
    return about && intentId(nameIntent(mutationKey, principal, about))
  } catch {
    return undefined
  }
}
