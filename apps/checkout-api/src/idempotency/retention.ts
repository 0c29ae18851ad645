const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How long things last, in milliseconds, each longer than the one before: that makes repeats safe. */
export interface Retention {
  /** One worker has a key for itself this long. Longer than any effect takes. */
  leaseMs: number
  /**
   * An effect that was started longer ago is looked up, never asked for again: whoever performs it
   * may have forgotten the key. Shorter than their key retention, with a margin.
   */
  redriveMs: number
  /** Answers are repeated this long. Longer than clients send one key again (20 hours in the demo). */
  answerMs: number
  /** A key is known this long, if only to say that its answer is gone. */
  recordMs: number
}

export const DEFAULT_RETENTION: Retention = {
  leaseMs: 30_000,
  redriveMs: 20 * HOUR_MS,
  answerMs: 7 * DAY_MS,
  recordMs: 90 * DAY_MS,
}

/** @throws RangeError naming the two values whose order is wrong */
export function checkRetention(retention: Retention): Retention {
  const { leaseMs, redriveMs, answerMs, recordMs } = retention
  const ascending = Object.entries({ leaseMs, redriveMs, answerMs, recordMs })
  for (const [index, [name, value]] of ascending.entries()) {
    const [nameBefore, valueBefore] = ascending[index - 1] ?? ['nothing', 0]
    if (value > valueBefore) continue
    throw new RangeError(`${name} (${value}) has to be more than ${nameBefore} (${valueBefore})`)
  }
  return retention
}
