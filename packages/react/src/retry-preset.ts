import {
  type Clock,
  createRetryPolicy,
  type RetryPolicy,
  type RetryPolicyOptions,
  systemClock,
} from '@query-retry/core'
import type { QueryClient } from '@tanstack/react-query'
import {
  type AttemptMiddleware,
  createAttemptMiddleware,
  type SpreadablePersister,
} from './attempt-middleware.ts'
import { createCalmReturn } from './calm-return.ts'
import type { RetryQuestion } from './decision-pair.ts'
import {
  checkPresetOptions,
  reportInvalidMeta,
  warnAboutOwnPolicy,
  warnAboutOwnRetry,
  watchMutations,
} from './development-warnings.ts'
import { isServer } from './is-server.ts'
import { createMutationGuard } from './mutations/mutation-guard.ts'
import { createMutationPolicy } from './mutations/mutation-policy.ts'
import { type NestedRetries, nestedRetriesOf } from './nested-retries.ts'
import type { AnyQuery } from './operation.ts'
import { createEventHub, type RetryEventListener } from './retry-events.ts'
import { createScopes, type ScopeOptions } from './scopes.ts'

/** The policy's options, and what the preset adds to them. */
export interface RetryPresetOptions extends RetryPolicyOptions, ScopeOptions {
  /**
   * What is different for mutations that are sent under a key (`idempotentMutationOptions`). They take
   * nothing from the options for queries but `random`: one retry after a lost answer, without a deadline.
   */
  mutations?: Partial<RetryPolicyOptions>
  /** A kill switch, asked at each decision: false is TanStack without retries. Default always on. */
  enabled?: () => boolean
  /**
   * Queries that resume together (back online, tab shown, a start without network) are spread over this
   * time, from the first that resumes. Default 500; 0 for none.
   */
  resumeSpreadMs?: number
  /** Time, for tests. Default the machine's. */
  clock?: Clock
  /** Retry during server rendering as well. Default false, as in TanStack: somebody waits for the HTML. */
  retryOnServer?: boolean
  /** Gets every event; the same as a first {@link RetryPreset.subscribe}. */
  onEvent?: RetryEventListener
}

/** What a query may change for itself: `meta: { retry: { maxRetries: 1 } }`. */
export type QueryRetryMeta = Partial<RetryPolicyOptions>

/** What only the preset knows of its settings: the options as they were given, and what it has seen. */
export interface PresetDescription extends RetryPresetOptions {
  /** In development: the clients that were seen to retry by themselves. Empty in production. */
  nested: NestedRetries[]
}

export interface RetryPreset {
  /** Spread into `defaultOptions.queries`, or into one query's options. */
  readonly queries: {
    readonly persister: SpreadablePersister
    readonly retry: RetryQuestion<boolean>
    readonly retryDelay: RetryQuestion<number>
    readonly networkMode: 'online'
  }
  /**
   * Spread into `defaultOptions.mutations`. A mutation is retried only where a key makes that safe
   * (`idempotentMutationOptions`): nothing says of any other that it may be sent twice.
   */
  readonly mutations: {
    readonly retry: RetryQuestion<boolean>
    readonly retryDelay: RetryQuestion<number>
    readonly networkMode: 'online'
  }
  /** Both of the above: `new QueryClient({ defaultOptions: preset.defaultOptions })`. */
  readonly defaultOptions: Pick<RetryPreset, 'queries' | 'mutations'>
  /** The policy for queries without a `meta.retry` of their own. */
  readonly policy: RetryPolicy
  /** The policy for mutations under a key. */
  readonly mutationPolicy: RetryPolicy
  /** What {@link describePreset} makes a page of. */
  describe(): PresetDescription
  /** @returns ends the subscription */
  subscribe(listener: RetryEventListener): () => void
  /**
   * Composes a persister of your own with the preset's, since a query takes one only:
   * `persister: preset.wrapPersister(theirs)`.
   *
   * The preset sets `networkMode: 'online'`, because TanStack falls back to `'offlineFirst'` for any
   * query that has a persister. A query whose persister restores data without a network relied on
   * that: give it `networkMode: 'offlineFirst'` back.
   */
  wrapPersister(persister: AttemptMiddleware): SpreadablePersister
}

/**
 * A retry preset for TanStack Query: jittered exponential backoff inside a deadline, the server's
 * `Retry-After` respected, and only failures retried that may go away. A mutation is retried only under
 * an idempotency key.
 *
 * @throws {RetryOptionError} naming the option, its value and the accepted range
 * @example
 * const preset = createRetryPreset({ maxRetries: 4 })
 * const queryClient = new QueryClient({
 *   defaultOptions: { queries: { ...preset.queries, staleTime: 60_000 }, mutations: { ...preset.mutations } },
 * })
 * queryClient.getDefaultOptions().queries?.networkMode // => 'online'
 */
export function createRetryPreset(options: RetryPresetOptions = {}): RetryPreset {
  checkPresetOptions(options)
  const {
    enabled = () => true,
    clock = systemClock,
    resumeSpreadMs = 500,
    retryOnServer,
    onEvent,
  } = options
  const policy = createRetryPolicy(options)
  const mutationPolicy = createMutationPolicy(options.mutations, policy.options.random)
  const events = createEventHub(onEvent)
  const scopeFor = createScopes(options, clock, events.emit)
  const isEnabled = () => (retryOnServer || !isServer()) && enabled()

  function policyFor(query?: AnyQuery, client?: QueryClient): RetryPolicy {
    watchMutations(client, mutations)
    warnAboutOwnRetry(query, queries)
    const own = query?.meta?.retry
    if (own === undefined) return policy
    try {
      warnAboutOwnPolicy(query, own)
      return createRetryPolicy(own as QueryRetryMeta, policy.options)
    } catch (error) {
      reportInvalidMeta(query, error)
      return policy
    }
  }

  const { wrapPersister, ...attempts } = createAttemptMiddleware({
    policyFor,
    scopeFor,
    isEnabled,
    calmReturn: createCalmReturn(clock, policy.options.random, resumeSpreadMs),
    clock,
    onEvent: events.emit,
  })
  // Frozen, since V8 merges a frozen object into each query's options twice as fast (`pnpm bench`).
  const queries = Object.freeze({ ...attempts, networkMode: 'online' } as const)
  const guard = createMutationGuard({
    policy: mutationPolicy,
    scopeFor,
    isEnabled,
    clock,
    onEvent: events.emit,
  })
  const mutations = Object.freeze({ ...guard, networkMode: 'online' } as const)
  return {
    queries,
    mutations,
    defaultOptions: { queries, mutations },
    policy,
    mutationPolicy,
    describe: () => ({ ...options, nested: nestedRetriesOf(events.emit) }),
    subscribe: events.subscribe,
    wrapPersister,
  }
}
