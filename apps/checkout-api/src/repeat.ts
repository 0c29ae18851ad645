/**
 * Runs `work` at once, and again and again, one at a time, `pauseMs` after each end. A rejection is
 * logged and ends nothing.
 *
 * @param work - is told by its signal when it should end early
 * @returns stops it; resolves when the work under way has ended
 */
export function repeat(
  pauseMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  log: (line: string) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const stopping = new AbortController()
  let underWay: Promise<void> = Promise.resolve()

  const run = () => {
    underWay = work(stopping.signal)
      .catch(error => log(error instanceof Error ? error.message : String(error)))
      .then(() => {
        if (stopping.signal.aborted) return
        // Work that waits is no reason for a process to stay.
        timer = setTimeout(run, pauseMs).unref()
      })
  }
  run()
  return () => {
    stopping.abort()
    clearTimeout(timer)
    return underWay
  }
}
