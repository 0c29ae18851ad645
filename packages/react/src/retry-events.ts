import type { CircuitState } from '@query-retry/core'
import type { PresetStopReason } from './operation.ts'
import { reportThrown } from './report-thrown.ts'

/** Which query or mutation. TanStack's hash of a key is the key as text: keep secrets out of keys. */
type Subject =
  | { queryHash: string; mutationHash?: undefined }
  /** Absent where the mutation has no key, or none of `idempotentMutationOptions`. */
  | { queryHash?: undefined; mutationHash?: string }

type EventOf<Type extends string> = Subject & {
  type: Type
  /** 1-based: the attempt that failed, is to come, started, succeeded or was the last; 0 where none was sent. */
  attempt: number
  /** Milliseconds since the first attempt's start, pauses not counted. 0 for a mutation without a key. */
  elapsedMs: number
}

/**
 * What happened to an operation, for logs and metrics. No payload, idempotency key, header or error
 * message is in it; `reason` is a slug with few values (`http-503`, `network`).
 */
export type RetryEvent =
  | (EventOf<'attempt-failed'> & { reason: string })
  | (EventOf<'retry-scheduled'> & { reason: string; delayMs: number; source: 'backoff' | 'server' })
  | (EventOf<'retry-started'> & { reason: string })
  | EventOf<'recovered'>
  /** A retry was due and there was none left for its scope; `gave-up` follows. */
  | (EventOf<'budget-exhausted'> & { reason: string; scope: string })
  | (EventOf<'gave-up'> & {
      reason: string
      stopReason: PresetStopReason
      /** What an option threw (`classify`, `random`, `enabled`), where one did. */
      optionError?: unknown
    })
  /** Of a scope, not of one query. */
  | {
      type: 'breaker-changed'
      queryHash?: undefined
      mutationHash?: undefined
      attempt?: undefined
      elapsedMs?: undefined
      scope: string
      state: CircuitState
      previousState: CircuitState
    }

export type RetryEventListener = (event: RetryEvent) => void

/** Hands events on. A listener that throws is reported to the console and disturbs nobody. */
export function createEventHub(first?: RetryEventListener) {
  const listeners = new Set<RetryEventListener>(first && [first])
  return {
    emit(event: RetryEvent): void {
      for (const listener of listeners) {
        try {
          listener(event)
        } catch (error) {
          reportThrown(error)
        }
      }
    },
    subscribe(listener: RetryEventListener): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
