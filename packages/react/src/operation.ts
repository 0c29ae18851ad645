import type { Clock, Failure, RetryDecision, RetryPolicy, StopReason } from '@query-retry/core'
import type { Query } from '@tanstack/react-query'
import type { Scope } from './scopes.ts'

/** A query of any type: the middleware sees all of them. */
// biome-ignore lint/suspicious/noExplicitAny: TanStack's own type for "whatever the query holds"
export type AnyQuery = Query<any, any, any, any>

/**
 * Why an operation ended: core's reasons, or
 *
 * - `'disabled'`: the preset's retries did not apply (`enabled`, a server, a `retry` of its own)
 * - `'no-stable-key'`: a mutation that would have been worth a retry, had it been sent under a key
 * - `'payload-changed'`: a mutation whose variables were changed between two attempts
 */
export type PresetStopReason = StopReason | 'disabled' | 'no-stable-key' | 'payload-changed'

/** Core's decision, or the refusal of a preset that does not apply. */
export type PresetDecision =
  | RetryDecision
  | { retry: false; reason: PresetStopReason; failure: Failure; classifyError?: unknown }

/**
 * One fetch of one query with all its attempts: the identity that TanStack's `retry` and `retryDelay`
 * are not told.
 */
export interface Operation {
  readonly query: AnyQuery
  /** TanStack's promise of the running fetch: another object for each fetch. */
  readonly promise: Promise<unknown> | undefined
  readonly policy: RetryPolicy
  readonly scope: Scope
  readonly clock: Clock
  /** Start of the first attempt, on the monotonic clock. */
  readonly startedAtMs: number
  /** 1-based number of the latest attempt; 0 while the first has been refused. */
  attempt: number
  /** Time that does not count towards the deadline: hidden tab, offline. */
  uncountedMs: number
  /** Set while paused. */
  pausedAtMs?: number
  /** The preset has granted a retry. */
  isGranted?: boolean
  /** A granted retry has been withdrawn from the budget, and is not sent yet. */
  isPaid?: boolean
  /** The latest attempt was turned away by the circuit breaker: nothing was sent. */
  isRefused?: boolean
  /** The last draw, for decorrelated jitter. */
  previousDelayMs?: number
  /** Of TanStack's failures those that use up no retry: refused, or suffered offline. */
  uncountedFailures: number
  /** What the last failed attempt threw. */
  lastError?: unknown
  failure?: Failure
  /** Attempts that failed. */
  failureCount: number
  /** Number of the granted retry, of those that count: 0 where the first attempt still waits. */
  retryNumber?: number
  /** When the granted retry is due, on the monotonic clock, from the grant to the attempt's start. */
  retryAtMs?: number
  isFinished?: boolean
  stopReason?: PresetStopReason
}

/** The latest operation of each query, for whoever shows it. Presets share no policy state through it. */
const latestOperation = new WeakMap<AnyQuery, Operation>()
const listeners = new Set<(query: AnyQuery) => void>()

/** The latest operation of a query that went through a preset, running or ended. */
export function operationOf(query: AnyQuery): Operation | undefined {
  return latestOperation.get(query)
}

export function rememberOperation(operation: Operation): void {
  latestOperation.set(operation.query, operation)
}

/**
 * Calls `listener` with the query when its operation moves on in a way that TanStack's cache events
 * do not show: an attempt starts after a wait, or because the person asked for it.
 *
 * @returns stops the calls
 */
export function watchOperations(listener: (query: AnyQuery) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function announceOperation({ query }: Pick<Operation, 'query'>): void {
  for (const listener of listeners) listener(query)
}

/** Milliseconds that count towards the deadline; stands still during a pause. */
export function elapsedMs({ clock, pausedAtMs, startedAtMs, uncountedMs }: Operation): number {
  return (pausedAtMs ?? clock.nowMs()) - startedAtMs - uncountedMs
}
