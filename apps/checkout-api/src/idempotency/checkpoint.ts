/**
 * The moments of an execution after which the world has changed, in their order. `starting` and
 * `finishing` lie inside a transaction, just before its commit.
 */
export const CHECKPOINTS = [
  'claimed',
  'starting',
  'started',
  'performed',
  'finishing',
  'finished',
  'released',
] as const

export type Checkpoint = (typeof CHECKPOINTS)[number]

/** Told at each checkpoint and waited for: where faults crash or freeze a worker. */
export type CheckpointListener = (checkpoint: Checkpoint) => Promise<void> | void
