/** How many calls there were, and how many of them failed or were slow. A failed call can be slow as well. */
export interface Tally {
  calls: number
  failed: number
  slow: number
}

/** Adds the outcome of a call that ended at `nowMs`, and gives what the window then holds. */
export type RecordOutcome = (nowMs: number, isFailed: boolean, isSlow: boolean) => Tally

/** As many as Polly's rolling window has. */
const BUCKETS = 10

/**
 * Counts the outcomes of the last `windowMs` milliseconds in ten buckets: memory and work stay the same at
 * any rate of calls. An outcome is dropped with its bucket, after 0.9 to 1 times `windowMs`.
 *
 * @param windowMs - `Infinity` for a window that forgets nothing
 */
export function createSamplingWindow(windowMs: number): RecordOutcome {
  let buckets: (Tally & { index: number })[] = []
  return (nowMs, isFailed, isSlow) => {
    const index = Math.floor((nowMs * BUCKETS) / windowMs)
    buckets = buckets.filter(bucket => bucket.index > index - BUCKETS)
    let newest = buckets.at(-1)
    if (newest?.index !== index) {
      newest = { index, calls: 0, failed: 0, slow: 0 }
      buckets.push(newest)
    }
    newest.calls += 1
    newest.failed += Number(isFailed)
    newest.slow += Number(isSlow)
    const tally: Tally = { calls: 0, failed: 0, slow: 0 }
    for (const { calls, failed, slow } of buckets) {
      tally.calls += calls
      tally.failed += failed
      tally.slow += slow
    }
    return tally
  }
}
