import type {
  DefaultError,
  Mutation,
  MutationFunctionContext,
  MutationKey,
  UseMutationOptions,
} from '@tanstack/react-query'
import type { Contract } from '../contracts/contract.ts'
import { checkMutationOptions, rememberKeyed } from '../development-warnings.ts'
import type { IntentSubject } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'
import { startExecution } from './execution.ts'
import { retryUnderKey } from './failed-attempts.ts'
import { type Principal, principalNow } from './intent-names.ts'
import type { AskAboutKey } from './key-answer.ts'
import { guardSettings } from './mutation-guard.ts'

/** A mutation of any type. */
// biome-ignore lint/suspicious/noExplicitAny: TanStack's own type for "whatever the mutation holds"
export type AnyMutation = Mutation<any, any, any, any>

/** What an attempt is given besides TanStack's own context. */
export interface IdempotentMutationContext extends MutationFunctionContext {
  /** The same for every attempt of one intent. For servers that take it in the body; else use `headers`. */
  idempotencyKey: string
  /** The key as the contract wants it: `fetch(url, { headers })`. */
  headers: Record<string, string>
  /** 1-based number of this attempt within its execution. */
  attempt: number
  /** Aborts at `attemptTimeoutMs`. */
  signal: AbortSignal
}

/** How a mutation is sent under a key. */
export interface AttemptOptions<TData, TVariables> {
  /**
   * Sends the mutation, with the key. What it returns is a success; whatever else came back it throws (a
   * `Response`, an error of axios, ky or ofetch): the contract reads it. The journal keeps the result as
   * JSON, for a later click: return what may stay in the browser.
   */
  mutationFn(variables: TVariables, context: IdempotentMutationContext): Promise<TData>
  /**
   * How the server treats keys: `ietfDraft()`, `stripe()`, `tossPayments()`, or your own. There is no
   * default, since only a contract that is the server's tells a settled key from an open one.
   */
  contract: Contract
  /** What it is about, by the server's own id: `order => ['order', order.id]`. */
  intent?: (variables: TVariables) => IntentSubject
  /**
   * Who is logged in; a function is asked at the click and before each attempt, and nothing is sent under
   * another one. A mutation that was persisted and is restored after a reload is whoever's is logged in
   * when it goes on: so a persisted cache is kept for each principal apart, or cleared at a logout.
   */
  principal?: Principal
  /**
   * Where intents are kept: `defaultJournal()`, or your own. Create one once for the page, never in a
   * render.
   */
  journal?: Journal
  /**
   * Limit of one attempt. Longer than the server's slowest answer, or the limit itself makes the outcome
   * unknown. Default the preset's, which is none.
   */
  attemptTimeoutMs?: number
  /** Tells payloads apart that are not JSON: `({ file }) => file.name + file.size`. Keep secrets out of it. */
  fingerprint?: (variables: TVariables) => string
  /** Asks the server what became of a key, for `resolve()`. See `readKeyAnswer`. */
  lookUp?: AskAboutKey<NoInfer<TData>>
  /** Asks the server to burn a key under which nothing has begun, for `fence()`. See `readKeyAnswer`. */
  fence?: AskAboutKey<NoInfer<TData>>
  /** Replaces the guard: how often and when it is sent again is then yours. The key stays the same. */
  retry?: unknown
}

/** The names of an intent: with one of them, all of them. */
type IntentNames<TVariables> =
  | {
      /** Names the operation, together with what `intent` says. */
      mutationKey: MutationKey
      intent: (variables: TVariables) => IntentSubject
      principal: Principal
      journal: Journal
    }
  | { mutationKey?: MutationKey; intent?: undefined; principal?: undefined; journal?: undefined }

/** TanStack's options for a mutation, and what it takes to send it under a key. */
export type IdempotentMutationOptions<
  TData = unknown,
  TError = DefaultError,
  TVariables = void,
  TOnMutateResult = unknown,
> = Omit<
  UseMutationOptions<TData, TError, TVariables, TOnMutateResult>,
  'mutationFn' | 'mutationKey'
> &
  AttemptOptions<TData, TVariables> &
  IntentNames<TVariables>

/**
 * By TanStack's context, of which all attempts of an execution get one and each other execution another;
 * and by mutation. Before the first attempt, who was logged in at the click.
 */
const executions = new WeakMap<object, ((variables: never) => Promise<never>) | string>()

/**
 * Options for a mutation that is sent under an idempotency key: for `useMutation`, `new
 * MutationObserver`, and `setMutationDefaults` (which a mutation needs that is to go on after a reload).
 *
 * The key is the same for all attempts of an execution, whatever is rendered between them. With
 * `intent` it is the same for one intent, in every tab, after a reload and after an offline pause, until
 * the server has settled it. Without `intent`, a second click is a second key.
 *
 * Retries need `preset.mutations` in the client's default options. A `retry` of the mutation's own
 * replaces the guard, which then decides nothing.
 *
 * @throws {RetryOptionError} in development, naming the option, its value and what is accepted
 * @example
 * const options = idempotentMutationOptions({
 *   mutationKey: ['pay'],
 *   contract: ietfDraft(),
 *   journal: defaultJournal(),
 *   intent: (order: { id: string; amount: number }) => ['order', order.id],
 *   principal: 'ann',
 *   async mutationFn(order, { headers, signal }) {
 *     const response = await fetch('/payments', { method: 'POST', body: JSON.stringify(order), headers, signal })
 *     if (!response.ok) throw response
 *     return response.json()
 *   },
 * })
 * options.mutationKey // => ['pay']
 */
export function idempotentMutationOptions<
  TData = unknown,
  TError = DefaultError,
  TVariables = void,
  TOnMutateResult = unknown,
>(
  options: IdempotentMutationOptions<TData, TError, TVariables, TOnMutateResult>,
): UseMutationOptions<TData, TError, TVariables, TOnMutateResult> {
  checkMutationOptions(options)

  async function mutationFn(variables: TVariables, context: MutationFunctionContext) {
    const known = executions.get(context)
    let attempt = known as unknown as (variables: TVariables) => Promise<TData>
    if (typeof known !== 'function') {
      const mutation = findMutation(variables, context)
      attempt = startExecution(options, variables, context, mutation, known)
      executions.set(context, attempt as never).set(Object(mutation), attempt as never)
    }
    return attempt(variables)
  }

  /**
   * The mutation whose execution this is: TanStack does not say, but it holds what it has called us with. Of
   * two that were sent in one tick with the same variables each is found once.
   */
  const findMutation = (variables: TVariables, { client }: MutationFunctionContext) =>
    client
      .getMutationCache()
      .getAll()
      .find(
        mutation =>
          mutation.options.mutationFn === (mutationFn as unknown) &&
          mutation.state.status === 'pending' &&
          Object.is(mutation.state.variables, variables) &&
          !executions.has(mutation),
      )

  rememberKeyed(mutationFn)
  const { retry, retryDelay } = (guardSettings(options.retry) ? {} : options) as UseMutationOptions<
    TData,
    TError
  >
  return {
    ...(options as object),
    // TanStack calls it at the click, also where it then waits for the network.
    onMutate(variables, context) {
      executions.set(context, principalNow(options.principal))
      return options.onMutate?.(variables, context) as TOnMutateResult
    },
    retry: retry ?? retryUnderKey.retry,
    // A `retry` of its own has a delay of its own, or TanStack's.
    retryDelay: retryDelay ?? (retry === undefined ? retryUnderKey.retryDelay : undefined),
    mutationFn,
  }
}
