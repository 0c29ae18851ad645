import { onTestFinished, vi } from 'vitest'

export interface SentRequest {
  /** Method and path: `POST /payments`. */
  target: string
  headers: Headers
  body: string
}

/** Writes down what this page sends, on its way out. */
export function recordRequests(): SentRequest[] {
  const sent: SentRequest[] = []
  const { fetch } = window
  const spy = vi.spyOn(window, 'fetch').mockImplementation((input, init = {}) => {
    const target = `${init.method ?? 'GET'} ${new URL(String(input)).pathname}`
    sent.push({ target, headers: new Headers(init.headers), body: String(init.body ?? '') })
    return fetch(input, init)
  })
  onTestFinished(() => spy.mockRestore())
  return sent
}
