import { onTestFinished } from 'vitest'

/** Writes down what notices show, in order: on a busy machine a test may look too late for a second. */
export function recordNotices() {
  const seen = { messages: [] as string[], secondsLeft: [] as number[] }
  const look = () => {
    note(seen.messages, read('message'))
    note(seen.secondsLeft, Number(read('countdown')?.match(/\d+/)?.[0]))
  }
  const observer = new MutationObserver(look)
  observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  onTestFinished(() => observer.disconnect())
  return seen
}

function read(part: string): string | undefined {
  return (
    document.querySelector(`[data-query-retry] [data-part="${part}"]`)?.textContent ?? undefined
  )
}

function note<T>(seen: T[], value: T | undefined): void {
  if (value && value !== seen.at(-1)) seen.push(value)
}
