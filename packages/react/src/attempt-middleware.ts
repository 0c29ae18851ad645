import {
  attemptLimitMs,
  type Clock,
  probeWaitMs,
  type RetryPolicy,
  timeLeftMs,
} from '@query-retry/core'
import {
  focusManager,
  onlineManager,
  type QueryClient,
  type QueryFunction,
  type QueryFunctionContext,
  type QueryKey,
} from '@tanstack/react-query'
import { limitAttempt } from './attempt-limit.ts'
import { createAttemptTimer } from './attempt-timer.ts'
import type { CalmReturn } from './calm-return.ts'
import { openGate } from './circuit-gate.ts'
import { pairDecisions, type RetryPair } from './decision-pair.ts'
import { unlessDisabled } from './kill-switch.ts'
import { warnAboutNestedRetries } from './nested-retries.ts'
import {
  type AnyQuery,
  announceOperation,
  elapsedMs,
  type Operation,
  operationOf,
} from './operation.ts'
import { createOperationLifecycle } from './operation-lifecycle.ts'
import { trackPauses } from './pause-tracker.ts'
import { reportThrown } from './report-thrown.ts'
import type { RetryEventListener } from './retry-events.ts'
import type { Scope } from './scopes.ts'

/** Makes the call of one attempt, unless a circuit breaker refuses it. */
type Send = <T>(call: () => T | Promise<T>) => T | Promise<T>

/** TanStack's `persister`, called for every attempt. */
export type AttemptMiddleware = <T, K extends QueryKey = QueryKey, P = never>(
  queryFn: QueryFunction<T, K, P>,
  context: QueryFunctionContext<K>,
  query: AnyQuery,
) => T | Promise<T>

/**
 * An {@link AttemptMiddleware} for any query. TypeScript infers nothing from `any`: spread into a query's
 * options it leaves `data` what it was, where a generic function would make it `unknown`.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type SpreadablePersister = any

export interface AttemptMiddlewareOptions {
  /** The policy of a new fetch, or the one for failures whose query is unknown. */
  policyFor(query?: AnyQuery, client?: QueryClient): RetryPolicy
  scopeFor(query: AnyQuery): Scope
  /** False: nothing is retried, held back or refused. */
  isEnabled(): boolean
  calmReturn: CalmReturn
  clock: Clock
  onEvent: RetryEventListener
}

/**
 * Gives TanStack's `retry` and `retryDelay` the operation they are about.
 *
 * TanStack calls `persister(queryFn, context, query)` for every attempt, and `query.promise` is
 * another object for every fetch: together they tell which operation an attempt belongs to, and the
 * error it throws leads the two functions back to it.
 */
export function createAttemptMiddleware({
  policyFor,
  scopeFor,
  isEnabled,
  calmReturn,
  clock,
  onEvent,
}: AttemptMiddlewareOptions): {
  persister: AttemptMiddleware
  wrapPersister(inner: AttemptMiddleware): AttemptMiddleware
} & RetryPair {
  const timer = createAttemptTimer(clock)
  const { begin, checkDeadline, startAttempt, failed, takePending, recover, finish, emit } =
    createOperationLifecycle(onEvent)

  async function runAttempt<T, C extends QueryFunctionContext>(
    run: (context: C, send: Send) => T | Promise<T>,
    context: C,
    query: AnyQuery,
  ): Promise<T> {
    const { promise } = query
    const startedAtMs = clock.nowMs()
    const latest = operationOf(query)
    // A fetch gets its operation with its first failure: one that succeeds at once leaves nothing behind.
    let operation = latest?.promise === promise ? latest : undefined
    const policy = operation?.policy ?? policyFor(query, context.client)
    const scope = operation?.scope ?? scopeFor(query)
    const gate = scope.breaker && isOn() && openGate(scope, scope.breaker, query, clock)
    let isSent = false
    let isOver = false
    let isHeld = false

    const send: Send = call => {
      // A persister that is slower than the attempt's limit asks when the next one is under way.
      if (isOver) throw operation?.lastError
      const go = () => {
        isSent = true
        if (operation) startAttempt(operation)
        return call()
      }
      return gate ? gate.pass(go) : go()
    }

    // The answer to a fetch that was taken back meanwhile is nobody's failure.
    const isTakenBack = async () =>
      operation ? operation.isFinished : query.promise !== promise || isSettled(promise)

    const cache = context.client.getQueryCache()
    trackPauses(cache)
    try {
      if (calmReturn.isReturning(query, cache, !operation) && isOn()) {
        const hadObservers = query.getObserversCount() > 0
        await calmReturn.takeTurn(leftMs(policy, operation) - policy.options.minAttemptMs)
        if (await isTakenBack()) throw operation?.lastError
        // Looked at again before it sends, as TanStack does after a wait.
        const isLeft = hadObservers && !query.getObserversCount()
        isHeld = !!operation?.isGranted && (isLeft || !canContinue(query))
        if (isHeld) throw operation?.lastError
      }
      if (operation) checkDeadline(operation)
      // TanStack keeps an infinite query's pages across attempts and ignores our context: a limit would lose pages.
      const limitMs =
        !('initialPageParam' in query.options) &&
        attemptLimitMs(policy.options, leftMs(policy, operation))
      const data = await (limitMs
        ? limitAttempt(own => run(own, send), context, limitMs, timer)
        : run(context, send))
      if (isSent) scope.budget?.recordSuccess()
      if (operation) recover(operation)
      return data
    } catch (thrown) {
      isOver = true
      if (gate) gate.end(thrown)
      if (await isTakenBack()) throw thrown
      operation ??= begin({ query, promise, policy, scope, clock, startedAtMs })
      const isRefused = isHeld || (!isSent && Object(thrown).code === 'CIRCUIT_OPEN')
      // In the place of a refusal stands what went wrong before, if anything did.
      const error = isRefused && operation.attempt ? operation.lastError : thrown
      failed(operation, error, isRefused)
      throw error
    }
  }

  /** False as well where `enabled` throws: the next decision says so. */
  function isOn(): boolean {
    try {
      return isEnabled()
    } catch {
      return false
    }
  }

  /** Decides for the operation that failed with this error. Neither it nor {@link commit} throws. */
  function decideNext(failureCount: number, error: unknown) {
    const operation = takePending(error)
    const retryIndex = failureCount - (operation?.uncountedFailures ?? 0)
    const asked = (operation?.policy ?? policyFor()).decide({
      error,
      retryIndex,
      isRefused: operation?.isRefused,
      elapsedMs: operation && elapsedMs(operation),
      previousDelayMs: operation?.previousDelayMs,
      nowEpochMs: clock.epochMs(),
      probeWaitMs: probeWaitMs(operation?.scope.breaker, clock.nowMs()),
    })
    const decision = unlessDisabled(asked, isEnabled)
    const isRefusal = operation?.isRefused || decision.failure.reason === 'deadline'
    // Where we refused to send, the last real failure stays on show.
    if (operation && !(isRefusal && operation.failure)) operation.failure = decision.failure
    return { ...decision, operation, retryIndex, isRefusal }
  }

  /** @returns whether it is retried */
  function commit(answer: ReturnType<typeof decideNext>): boolean {
    const { operation, retryIndex, isRefusal, ...decision } = answer
    if ('classifyError' in decision) {
      reportThrown(decision.classifyError)
    }
    if (!operation) return decision.retry
    if (!isRefusal) emit('attempt-failed', operation)
    if (!decision.retry) {
      finish(operation, decision.reason, decision.classifyError)
      return false
    }
    const { isRefused, scope } = operation
    const { delayMs, drawMs, source } = decision
    const isCounted = !isRefused && !isLocalFailure(operation)
    if (isCounted && scope.budget && !operation.isPaid) {
      operation.isPaid = scope.budget.tryWithdraw()
      if (!operation.isPaid) {
        finish(operation, 'budget-exhausted')
        return false
      }
    }
    if (!isCounted) operation.uncountedFailures++
    if (!isRefused) operation.previousDelayMs = drawMs
    // One that the server itself has told to wait does not wait for the probe.
    if (scope.breaker?.nextProbeAtMs && source === 'backoff') scope.waiting.add(operation)
    warnAboutNestedRetries(onEvent, operation)
    operation.isGranted = true
    operation.retryNumber = retryIndex + Number(isCounted)
    operation.retryAtMs = clock.nowMs() + delayMs
    emit('retry-scheduled', operation, { attempt: operation.attempt + 1, delayMs, source })
    announceOperation(operation)
    return true
  }

  const wrapPersister =
    (inner: AttemptMiddleware): AttemptMiddleware =>
    (queryFn, context, query) =>
      runAttempt(
        // What it restores without asking the server is no success of the server's.
        (own, send) => inner(asked => send(() => queryFn(asked as never)), own, query),
        context,
        query,
      )
  return {
    persister: wrapPersister((queryFn, context) =>
      (queryFn as (context: unknown) => never)(context),
    ),
    wrapPersister,
    ...pairDecisions(decideNext, commit),
  }
}

/** Not read from the query's state, which somebody else may write (another tab's, by a broadcast). */
async function isSettled(promise: Promise<unknown> | undefined): Promise<boolean> {
  const open = {}
  const first = await Promise.race([promise, open]).catch(() => undefined)
  return first !== open
}

/** The browser is offline, and nobody else was asked: TanStack waits for the network before the next attempt. */
function isLocalFailure({ query }: Operation): boolean {
  return !isReachable(query)
}

/** Whether TanStack would send a retry now. */
function canContinue(query: AnyQuery): boolean {
  return focusManager.isFocused() && isReachable(query)
}

function isReachable({ options }: AnyQuery): boolean {
  return onlineManager.isOnline() || options.networkMode === 'always'
}

function leftMs({ options }: RetryPolicy, operation: Operation | undefined): number {
  return timeLeftMs(options, operation ? elapsedMs(operation) : 0)
}
