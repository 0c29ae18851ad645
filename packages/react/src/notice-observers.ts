import type { MutationCache, MutationCacheNotifyEvent, MutationState } from '@tanstack/react-query'
import type { AnyMutation } from './mutations/idempotent-mutation-options.ts'

/** What `useMutation` or `useIdempotentMutation` returned. */
export type MutationTarget = { reset: unknown } & Readonly<
  MutationState<unknown, unknown, unknown, unknown>
>

/**
 * The `reset` of the observer that shows a mutation, which is the `reset` of its results. A mutation does
 * not say who observes it; the events of its cache do.
 */
const resets = new WeakMap<AnyMutation, unknown>()

export function noteObserver(event: MutationCacheNotifyEvent): void {
  if (!('observer' in event) || !event.mutation) return
  if (event.type === 'observerRemoved') resets.delete(event.mutation)
  else resets.set(event.mutation, event.observer.reset)
}

/** The mutation that is shown by the results with this `reset`. */
export function mutationBy(cache: MutationCache, reset: unknown): AnyMutation | undefined {
  return cache.getAll().find(mutation => resets.get(mutation) === reset)
}

/**
 * Finds the mutation of a result that began when nobody listened: by its state, all of which is in the
 * result. Of two that are alike in that (sent in one millisecond, failed with one error) each is found
 * once.
 *
 * @returns whether it is another one than was known
 */
export function findMutation(cache: MutationCache, result: MutationTarget): boolean {
  const { reset, submittedAt } = result
  const known = mutationBy(cache, reset)
  if (submittedAt === (known?.state.submittedAt ?? 0)) return false
  if (known) resets.delete(known)
  const found = cache
    .getAll()
    .find(
      mutation =>
        !resets.has(mutation) &&
        Object.entries(mutation.state).every(([name, value]) =>
          Object.is(result[name as keyof MutationTarget], value),
        ),
    )
  if (found) resets.set(found, reset)
  return true
}
