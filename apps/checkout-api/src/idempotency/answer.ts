import { type Problem, problemBody } from '../problem.ts'

/** An HTTP answer as it is stored: sent once, and byte for byte again for every repeat. */
export interface Answer {
  status: number
  /** Only what belongs to the answer itself: no cookies, no date. */
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(value)),
  }
}

/** @see RFC 9457 */
export function problemAnswer(
  problem: Problem,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status: problem.status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
    body: Buffer.from(problemBody(problem)),
  }
}
