import { CHECKPOINTS, type CheckpointListener } from '../idempotency/checkpoint.ts'

/** The request header that makes the worker of this one request fail on its way. */
export const CHECKPOINT_FAULT_HEADER = 'Fault-At'

export const ACCEPTED_CHECKPOINT_FAULTS = `crash@<point> or freeze@<point>:<milliseconds>, <point> being ${CHECKPOINTS.join(', ')}`

const LONGEST_FREEZE_MS = 600_000

/**
 * Reads `crash@started` (the process ends itself with SIGKILL there: no handler runs, nothing is
 * flushed) or `freeze@claimed:1500` (the worker stands still that long and then goes on).
 *
 * In the header and not on the fault board, because a run that is to be repeated has to say which
 * request suffers, whatever order requests come in.
 *
 * @returns undefined where it is neither
 */
export function readCheckpointFault(header: string): CheckpointListener | undefined {
  const [, kind, point, duration] = /^(crash|freeze)@([a-z]+)(?::(\d{1,6}))?$/.exec(header) ?? []
  if (!CHECKPOINTS.some(checkpoint => checkpoint === point)) return undefined
  if (kind === 'crash' && duration === undefined) {
    return checkpoint => (checkpoint === point ? dieAtOnce() : undefined)
  }
  const freezeMs = Number(duration)
  if (kind !== 'freeze' || !(freezeMs <= LONGEST_FREEZE_MS)) return undefined
  return checkpoint =>
    checkpoint === point ? new Promise(resolve => setTimeout(resolve, freezeMs)) : undefined
}

function dieAtOnce(): Promise<void> {
  process.kill(process.pid, 'SIGKILL')
  // The signal is on its way; nothing after this may run.
  return new Promise(() => undefined)
}
