import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import { createNoticeSource, type NoticeSource, type RetryNoticeTarget } from './notice-source.ts'
import { IDLE, type RetryNoticeState } from './notice-state.ts'

export interface UseRetryNoticeOptions {
  /** Default the client from the nearest `QueryClientProvider`. */
  queryClient?: QueryClient
}

/** What to tell the person waiting, and what they may do about it. */
export type RetryNoticeResult = RetryNoticeState & Pick<NoticeSource, 'tryNow' | 'cancel'>

/**
 * Says what a query is waiting for: which failure, when the next attempt comes, why attempts ended.
 *
 * Updates once a second while it counts down. Works inside a Suspense fallback with `{ queryKey }`. On
 * a server, and until hydration is over, it is idle.
 *
 * @param target - what `useQuery` or `useInfiniteQuery` returned; or `{ queryKey }`, matched as TanStack's
 *   filters are; left out, everything the client waits for, as one notice
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
      : target.refetch)
  // biome-ignore lint/correctness/useExhaustiveDependencies: results and keys are new objects at each render; their identity is not
  const source = useMemo(() => createNoticeSource(client, target), [client, identity])
  const notice = useSyncExternalStore(source.subscribe, source.getSnapshot, () => IDLE)
  return { ...notice, tryNow: source.tryNow, cancel: source.cancel }
}
