import {
  createRetryPolicy,
  describePolicy,
  formatDuration,
  type PolicyDescription,
  type PolicyFacts,
  RetryBudget,
  type RetryPolicyOptions,
} from '@query-retry/core'
import type { Contract } from './contracts/contract.ts'
import { IN_PROGRESS_MS } from './mutations/attempt-plan.ts'
import type { PresetDescription, QueryRetryMeta, RetryPreset } from './retry-preset.ts'

/** What the team says of an operation; the preset says the rest. */
export type OperationFacts = Omit<PolicyFacts, 'budget' | 'breaker' | 'clients' | 'isRepeatable'>

export interface QueryFacts extends OperationFacts {
  /** The query's own `meta.retry`. */
  retry?: QueryRetryMeta
}

/** Of what `idempotentMutationOptions` is given, the two that are on the page. */
export interface MutationFacts
  extends OperationFacts,
    Pick<RetryPolicyOptions, 'attemptTimeoutMs'> {
  /** It says how long a key may be sent again. */
  contract?: Pick<Contract, 'name' | 'resendWindowMs'>
}

/** What is not in the settings. Any text of the page can be replaced. */
export interface PresetFacts {
  queries?: QueryFacts
  mutations?: MutationFacts
}

/** A preset for a person to judge. */
export interface PresetPages {
  /** The policy of a query. */
  queries: PolicyDescription
  /** The policy of a mutation under an idempotency key. Waits for a request in progress are not counted in it. */
  mutations: PolicyDescription
}

/**
 * Says what a preset's settings come to, for queries and for mutations under a key: attempts, waits on average
 * and at worst, calls at worst with the clients that were seen to retry by themselves, what is retried, and which
 * settings hurt. {@link formatPolicy} makes a page of each. For a test, a wiki or a page of your own; an
 * application that does not call it does not bundle it.
 *
 * A `budget` of yours is made once more to read its numbers, for the scope that `facts` name, else `default`.
 *
 * @throws {RetryOptionError} for a `retry` or an `attemptTimeoutMs` that is not accepted
 *
 * @example
 * const { queries, mutations } = describePreset(createRetryPreset({ maxRetries: 6, capMs: 30_000 }))
 * queries.attempts // => 7
 * queries.warnings.map(({ code }) => code) // => ['wait-too-long', 'no-time-for-all-retries']
 * mutations.attempts // => 2
 */
export function describePreset(preset: RetryPreset, facts: PresetFacts = {}): PresetPages {
  const settings = preset.describe()
  const { retry, ...ofQueries } = facts.queries ?? {}
  const { attemptTimeoutMs, contract, ...ofMutations } = facts.mutations ?? {}
  // Nothing tells those of queries from those of mutations.
  const clients = settings.nested.map(({ client, retries }) => ({ name: client, retries }))
  return {
    queries: describePolicy(createRetryPolicy(retry, preset.policy.options), {
      ...QUERY_FACTS,
      title: ofQueries.operation ?? 'queries',
      breaker: hasBreaker(settings, facts.queries?.scope) ? BREAKER : false,
      clients,
      notes: queryNotes(settings, retry),
      ...ofQueries,
      ...scopeFacts(settings, facts.queries?.scope),
    }),
    mutations: describePolicy(
      createRetryPolicy({ attemptTimeoutMs }, preset.mutationPolicy.options),
      {
        ...MUTATION_FACTS,
        title: ofMutations.operation ?? 'mutations under a key',
        ...(contract && {
          id: `A key is for one intent of one principal. It may be sent again for ${formatDuration(contract.resendWindowMs)} after its first attempt (contract ${contract.name}).`,
        }),
        breaker: false,
        clients,
        notes: MUTATION_NOTES,
        ...ofMutations,
        ...scopeFacts(settings, facts.mutations?.scope),
      },
    ),
  }
}

/** Stands for a breaker whose numbers nobody reads. */
const BREAKER = { run: () => Promise.reject(), nextProbeAtMs: undefined }

const QUERY_FACTS: OperationFacts = {
  whyRepeatable:
    'A query only reads. The preset takes that for granted: one that writes needs meta: { retry: { maxRetries: 0 } }.',
  id: 'None is needed.',
  lookUp: 'Nowhere: it is read again.',
  layer:
    "TanStack Query's retries, by this preset. meta.retry changes a query's numbers; a retry of its own replaces the preset.",
  cancellation:
    'An unmount ends the retries; cancelQueries and the cancel of the notice end the wait as well. Nothing more is sent, and a retry that was granted and not sent goes back to the budget.',
  unknownOutcome:
    'A read leaves nothing in doubt. The notice says what failed, when the next try comes and, after the last, why it ended.',
}

const MUTATION_FACTS: OperationFacts = {
  whyRepeatable:
    'Every attempt of one intent carries the same idempotency key, and the server does it once. A mutation without a key is never sent again.',
  layer: 'The guard of this preset. A retry of the mutation replaces it.',
  cancellation:
    'The cancel of the notice ends the wait: nothing is sent after it. What was sent before may have taken effect.',
  unknownOutcome:
    'That it is not known whether this went through, and to check before doing it again. The same key is sent again when the person asks; "pay again" is never offered.',
}

const MUTATION_NOTES = [
  'The contract has the last word: an answer that settles the key is never followed by a retry.',
  `An answer that says the same request is still in progress is waited out for ${formatDuration(IN_PROGRESS_MS)} in all, and counts as no attempt here.`,
  "Mutations do not go through a circuit breaker: a person's own click is sent.",
]

function queryNotes(settings: PresetDescription, retry: QueryRetryMeta | undefined): string[] {
  const { enabled, resumeSpreadMs = 500, retryOnServer } = settings
  const { attemptTimeoutMs = settings.attemptTimeoutMs } = retry ?? {}
  return [
    'Time while the page is hidden or offline does not count, and neither do failures while it is offline.',
    ...(resumeSpreadMs > 0
      ? [`Queries that resume together are spread over ${formatDuration(resumeSpreadMs)}.`]
      : []),
    ...(attemptTimeoutMs === undefined ? [] : ['Infinite queries have no attempt timeout.']),
    ...(retryOnServer ? [] : ['Nothing is retried on a server.']),
    ...(enabled ? ['A kill switch (enabled) is asked at each decision.'] : []),
  ]
}

function hasBreaker({ circuitBreaker }: PresetDescription, scope = 'default'): boolean {
  try {
    return !!circuitBreaker?.(scope)
  } catch {
    // As in the preset itself: a scope whose breaker cannot be made goes without.
    return false
  }
}

function scopeFacts(
  { budget = () => new RetryBudget(), scopeOf }: PresetDescription,
  named: string | undefined,
): Pick<PolicyFacts, 'budget' | 'scope'> {
  const everything = scopeOf ? 'whatever has the same scope (scopeOf)' : 'the whole preset'
  const scope = named === undefined ? everything : `scope ${named}`
  try {
    return { budget: budget && (budget(named ?? 'default') ?? false), scope }
  } catch {
    // As in the preset itself: a scope whose budget cannot be made goes without.
    return { budget: false, scope }
  }
}
