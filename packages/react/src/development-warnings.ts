import {
  checkOptions,
  DEFAULT_RETRY_POLICY,
  type OptionRules,
  RetryOptionError,
} from '@query-retry/core'
import type { Mutation, MutationCache, QueryClient } from '@tanstack/react-query'
import type { RetryPair } from './decision-pair.ts'
import { isServer } from './is-server.ts'
import type { AnyQuery } from './operation.ts'

// Bundlers replace the expression below, and production builds lose the texts with it.
declare const process: { env: { NODE_ENV?: string } }

/** What the preset's own options accept. */
const PRESET_RULES: OptionRules = {
  budget: 'false or a function',
  circuitBreaker: 'a function',
  scopeOf: 'a function',
  resumeSpreadMs: [0, 2_147_483_647],
  enabled: 'a function',
  clock: 'an object',
  retryOnServer: 'true or false',
  onEvent: 'a function',
  mutations: 'an object',
}
const warned = new Set<string>()

/**
 * In development, checks the preset's own options (the policy checks its own at any time), and says
 * which names nobody reads: a misspelt one would silently keep its default.
 *
 * @throws {RetryOptionError} naming the option, its value and what is accepted
 */
export function checkPresetOptions(options: object): void {
  if (process.env.NODE_ENV === 'production') return
  checkOptions(options, PRESET_RULES)
  warnAboutNames(options, 'createRetryPreset', Object.keys(PRESET_RULES))
  const { mutations = {} } = options as { mutations?: object }
  warnAboutNames(mutations, 'mutations', [])
}

function warnAboutNames(options: object, where: string, more: string[]): void {
  // The one option without a default stands in no default.
  const known = [...Object.keys(DEFAULT_RETRY_POLICY), 'attemptTimeoutMs', ...more]
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      warnOnce(`${where} has no option \`${name}\`. The options are ${known.join(', ')}.`)
    }
  }
}

/** What the options for scopes return, and how it is told from something else. */
const PARTS = {
  budget: ['a RetryBudget', (part: unknown) => typeof Object(part).tryWithdraw === 'function'],
  circuitBreaker: ['a CircuitBreaker', (part: unknown) => typeof Object(part).run === 'function'],
  scopeOf: ['a string', (part: unknown) => typeof part === 'string'],
} as const

/**
 * In development, checks what an option for scopes gave back; false and undefined are nothing.
 *
 * @throws {RetryOptionError} naming the option, what it returned and what is accepted
 */
export function checkPart<T>(option: keyof typeof PARTS, part: T): T {
  if (process.env.NODE_ENV === 'production' || part === false || part === undefined) return part
  const [what, isAccepted] = PARTS[option]
  if (isAccepted(part)) return part
  throw new RetryOptionError(`What ${option} returns`, part, what)
}

/** Functions in the place of a preset's `retryDelay` that ask it. */
const standIns = new WeakSet<object>()

export function rememberStandIn(retryDelay: object): void {
  if (process.env.NODE_ENV !== 'production') standIns.add(retryDelay)
}

/** In development, says where a query's own `retry` or `retryDelay` replaced the preset's. */
export function warnAboutOwnRetry(query: AnyQuery | undefined, preset: RetryPair): void {
  if (process.env.NODE_ENV === 'production' || !query) return
  const { retry: own, retryDelay } = query.options
  if (own === false || own === undefined) return
  const isOwnDelay = retryDelay !== preset.retryDelay && !standIns.has(Object(retryDelay))
  if (isOwnDelay && own === preset.retry) {
    warnOnce(
      `Query ${query.queryHash} has a \`retryDelay\` of its own, which replaces the preset's: ` +
        'no jitter, no `Retry-After`, and a countdown that is not true. ' +
        'Use `meta: { retry: { baseMs: ..., capMs: ... } }` instead.',
    )
  }
  if (own === preset.retry) return
  const shown = typeof own === 'function' ? 'a function' : own
  warnOnce(
    `Query ${query.queryHash} has a \`retry\` of its own (${shown}), which replaces the preset's: ` +
      'its classification and its deadline do not apply. ' +
      'Use `meta: { retry: { maxRetries: ... } }` instead, or `retry: false` for none.',
  )
}

/**
 * In development, checks the names of a query's `meta.retry`.
 *
 * @throws {RetryOptionError} where it is no object of options
 */
export function warnAboutOwnPolicy(query: AnyQuery | undefined, own: unknown): void {
  if (process.env.NODE_ENV === 'production') return
  checkOptions({ 'meta.retry': own }, { 'meta.retry': 'an object' })
  warnAboutNames(own as object, `meta.retry of query ${query?.queryHash}`, [])
}

/** In development, says what is wrong with a query's `meta.retry`, which is then ignored. */
export function reportInvalidMeta(query: AnyQuery | undefined, error: unknown): void {
  if (process.env.NODE_ENV === 'production') return
  const message = `Query ${query?.queryHash}: \`meta.retry\` is ignored. ${(error as Error).message}`
  if (isNew(message)) console.error(`[query-retry] ${message}`)
}

/** What the options of {@link idempotentMutationOptions} accept. */
const MUTATION_RULES: OptionRules = {
  attemptTimeoutMs: [1, 2_147_483_647],
  contract: 'an object',
  fence: 'a function',
  fingerprint: 'a function',
  intent: 'a function',
  journal: 'an object',
  lookUp: 'a function',
  mutationFn: 'a function',
}

/** What a contract has, also one that `createContract` has not made. */
const CONTRACT_RULES: OptionRules = {
  'contract.resendWindowMs': [1, Number.MAX_SAFE_INTEGER],
  'contract.headers': 'a function',
  'contract.verdict': 'a function',
}

/**
 * In development, checks the options of a mutation that is sent under a key, and that none is missing.
 *
 * @throws {RetryOptionError} naming the option, its value and what is accepted
 */
export function checkMutationOptions(options: {
  contract?: unknown
  intent?: unknown
  journal?: unknown
}): void {
  if (process.env.NODE_ENV === 'production') return
  checkOptions(options, MUTATION_RULES)
  const { contract, intent, journal } = options
  if (!contract) {
    const accepted =
      'what your server keeps to: ietfDraft(), stripe(), tossPayments() or createContract()'
    throw new RetryOptionError('contract', contract, accepted)
  }
  for (const option of Object.keys(CONTRACT_RULES)) {
    // Nothing counts as a wrong value here: a window that is no number ends at once, or never.
    const value = (contract as Record<string, unknown>)[option.replace('contract.', '')] ?? null
    checkOptions({ [option]: value }, CONTRACT_RULES)
  }
  if (intent && !journal) {
    const accepted = 'given with `intent`: defaultJournal(), or a journal of your own'
    throw new RetryOptionError('journal', journal, accepted)
  }
}

/** Functions that send under a key, which may be sent twice. */
const keyed = new WeakSet<object>()

export function rememberKeyed(mutationFn: object): void {
  if (process.env.NODE_ENV !== 'production') keyed.add(mutationFn)
}

/** The caches that a preset has come across, for the names of mutations: its guard is told an error alone. */
const seenCaches = new Set<MutationCache>()

/**
 * In development, remembers the client, and says where a mutation that is under no key is retried by a
 * `retry` of its own.
 */
export function watchMutations(
  client: QueryClient | undefined,
  guard: Pick<RetryPair, 'retry'>,
): void {
  if (process.env.NODE_ENV === 'production' || !client || isServer()) return
  const cache = client.getMutationCache()
  if (seenCaches.has(cache)) return
  seenCaches.add(cache)
  cache.subscribe(event => {
    if (event.type !== 'updated' || event.action.type !== 'failed') return
    const { mutationFn, mutationKey, retry } = event.mutation.options
    if (retry === guard.retry || keyed.has(Object(mutationFn))) return
    warnOnce(
      `${nameOf(mutationKey)} is retried by a \`retry\` of its own, without an idempotency key: it may ` +
        'take effect twice. Use `idempotentMutationOptions`, and leave `retry` to the preset.',
    )
  })
}

/** In development, names the mutation that was not sent again since it has no key, and what to do. */
export function warnAboutMissingKey(error: unknown, reason: string): void {
  if (process.env.NODE_ENV === 'production') return
  // By then the mutation holds its error, and can be found by it.
  setTimeout(() => {
    const found = [...seenCaches]
      .flatMap(cache => cache.getAll())
      .find(({ state }) => Object.is(state.error, error))
    warnOnce(
      `${nameOf(found?.options.mutationKey)} failed (${reason}) and was not sent again: nothing says that ` +
        'it may be sent twice. Use `idempotentMutationOptions` where the server takes idempotency keys.',
    )
  })
}

/** In development, says where a mutation under a key has a `retry` of its own. */
export function warnAboutOwnMutationRetry(
  mutation: Pick<Mutation, 'options'> | undefined,
  ours: Pick<RetryPair, 'retry'>,
): void {
  if (process.env.NODE_ENV === 'production' || !mutation) return
  const { mutationKey, retry: own } = mutation.options
  if (!own || own === ours.retry) return
  const shown = typeof own === 'function' ? 'a function' : own
  warnOnce(
    `${nameOf(mutationKey)} has a \`retry\` of its own (${shown}), which replaces the preset's guard: its ` +
      'waits and its limits do not apply. Use `mutations: { maxRetries: ... }` of createRetryPreset ' +
      'instead, or `retry: false` for none.',
  )
}

export function nameOf(mutationKey: unknown): string {
  return mutationKey ? `Mutation ${JSON.stringify(mutationKey)}` : 'A mutation without a key'
}

/** @param once - what makes two messages the same one. Default the message */
export function warnOnce(message: string, once = message): void {
  if (isNew(once)) console.warn(`[query-retry] ${message}`)
}

function isNew(message: string): boolean {
  if (warned.has(message)) return false
  warned.add(message)
  return true
}
