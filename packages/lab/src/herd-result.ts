import type { RunStopReason } from '@query-retry/core'

/** What became of a herd. Instants and durations are milliseconds of virtual time. */
export interface HerdResult {
  clients: number
  /** Calls that reached the server, first attempts included. */
  totalCalls: number
  /** What a server with room for all would have seen: one call for each client. */
  minimumCalls: number
  /** Calls that the server carried out. More than `served` where answers were lost or came too late. */
  carriedOut: number
  peakCallsPerSlot: number
  /** The same without first attempts. */
  peakRetriesPerSlot: number
  /** Clients that got their answer. */
  served: number
  /** Clients whose policy ended the operation. */
  gaveUp: number
  /** Why, with how many each. */
  gaveUpBecause: Partial<Record<RunStopReason, number>>
  /** Clients that were neither served nor gave up when the simulation ended (`untilMs`). */
  stillTrying: number
  /** When the last client got its answer; undefined where not all of them did. */
  allServedAtMs: number | undefined
  /** When half of all clients had theirs; undefined where fewer did. */
  p50ServedAtMs: number | undefined
  /** When 99 % of all clients had theirs; undefined where fewer did. */
  p99ServedAtMs: number | undefined
  /** The longest that a client waited, for its answer, for its end or for the simulation's. */
  longestWaitMs: number
  /** Length of the slots below. */
  slotMs: number
  /** Calls in each slot up to the last one with a call. A call at the instant between two is in the later. */
  callsPerSlot: number[]
  /** The same without first attempts. */
  retriesPerSlot: number[]
  /** Repeats the simulation, with the same options. */
  seed: number
}
