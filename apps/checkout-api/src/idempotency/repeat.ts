/**
 * Runs `work` again and again, one at a time, `pauseMs` after each end. A rejection is logged and
 * ends nothing.
 *
 * @returns stops it; resolves when the work under way has ended
 */
export function repeat(
  pauseMs: number,
  work: () => Promise<unknown>,
  log: (line: string) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let underWay: Promise<void> = Promise.resolve()

  const schedule = () => {
    if (isStopped) return
    timer = setTimeout(() => {
      underWay = work()
        .catch(error => log(error instanceof Error ? error.message : String(error)))
        .then(schedule)
    }, pauseMs)
    // Work that waits is no reason for a process to stay.
    timer.unref()
  }
  schedule()
  return () => {
    isStopped = true
    clearTimeout(timer)
    return underWay
  }
}
