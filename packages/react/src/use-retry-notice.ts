import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createNoticeSource, type NoticeSource, type RetryNoticeTarget } from './notice-source.ts'
import { IDLE, type RetryNoticeState } from './notice-state.ts'

export interface UseRetryNoticeOptions {
  /** Default the client from the nearest `QueryClientProvider`. */
  queryClient?: QueryClient
}

/** What to tell the person waiting, and what they may do about it. */
export type RetryNoticeResult = RetryNoticeState & Pick<NoticeSource, 'tryNow' | 'cancel'>

/**
 * Says what a query or a mutation is waiting for: which failure, when the next attempt comes, why attempts
 * ended and, of a mutation, whether it may have happened.
 *
 * Updates once a second while it counts down. Works inside a Suspense fallback with `{ queryKey }`. On
 * a server, and until hydration is over, it is idle.
 *
 * Of a mutation it tells what this page has sent. What is known of an intent after a reload, or from
 * another tab, is in `useIdempotentMutation`'s `intent`. Nothing is said where it has happened.
 *
 * @param target - what `useQuery`, `useInfiniteQuery`, `useMutation` or `useIdempotentMutation` returned, a
 *   mutation's as a whole; or `{ queryKey }`, matched as TanStack's filters are; left out, everything the
 *   client waits for, as one notice. That one tells of a mutation that failed until its page is left or it
 *   is reset or sent again and, where the page had been left before, until TanStack's `gcTime` is over
 * @example
 * const query = useQuery({
 *   queryKey: ['cart'],
 *   async queryFn() {
 *     const response = await fetch('/cart')
 *     if (!response.ok) throw response
 *     return response.json()
 *   },
 * })
 * const notice = useRetryNotice(query)
 * if (notice.phase === 'waiting') return <p>Next try in {notice.secondsLeft} s</p>
 * @example
 * const pay = useIdempotentMutation({
 *   contract: ietfDraft(),
 *   async mutationFn(amount: number, { headers, signal }) {
 *     const response = await fetch('/payments', { method: 'POST', body: `${amount}`, headers, signal })
 *     if (!response.ok) throw response
 *   },
 * })
 * const notice = useRetryNotice(pay)
 * if (notice.phase === 'waiting') return <button onClick={notice.cancel}>Send nothing more</button>
 * if (notice.phase === 'stopped' && notice.effect === 'unknown') return <p>Look before you pay again.</p>
 * return <button onClick={() => pay.mutate(12)}>Pay</button>
 */
export function useRetryNotice(
  target?: RetryNoticeTarget,
  { queryClient }: UseRetryNoticeOptions = {},
): RetryNoticeResult {
  const client = useQueryClient(queryClient)
  const identity =
    target &&
    ('queryKey' in target
      ? client.defaultQueryOptions({ queryKey: target.queryKey }).queryHash + target.exact
      : 'reset' in target
        ? target.reset
        : target.refetch)
  // biome-ignore lint/correctness/useExhaustiveDependencies: results and keys are new objects at each render; their identity is not
  const source = useMemo(() => createNoticeSource(client, target), [client, identity])
  useEffect(() => source.follow(target))
  const notice = useSyncExternalStore(source.subscribe, source.getSnapshot, () => IDLE)
  return { ...notice, tryNow: source.tryNow, cancel: source.cancel }
}
