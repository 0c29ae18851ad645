import { type Draws, LEASE_MS } from '@query-retry/checkout-api/chaos'

/** Limit of one attempt to pay in a run: a shop's own is longer, for servers that are slower. */
export const ATTEMPT_LIMIT_MS = 1_500

/**
 * What can happen to one request between the browser and the server, or make the server happen to it.
 *
 * - `cut-off`: the connection ends, and the server hears nothing
 * - `bad-gateway`, `unavailable`, `too-many`: 502, 503 and 429 of a front, and the server hears nothing
 * - `login-page`: somebody else answers 200, with a page
 * - `answer-lost`: the server does it, then the connection ends before the first byte
 * - `answer-cut`: the same, half-way through the answer
 * - `gateway-timeout`: 504 of a front, while the server goes on
 * - `unreadable`: the browser keeps the server's answer from the page (no CORS headers)
 * - `late-answer`: the answer comes after the client has given this attempt up
 * - `late-request`: the connection ends, and the request reaches the server long after that
 * - `twice`: the server gets it twice at once, as from a front that tries again
 * - `logged-out`: the server does not know the token any more
 * - `freeze`: its worker stands still, beyond its lease
 * - `crash`: its worker dies
 */
export type RequestFault =
  | {
      kind:
        | 'cut-off'
        | 'bad-gateway'
        | 'unavailable'
        | 'too-many'
        | 'login-page'
        | 'answer-lost'
        | 'answer-cut'
        | 'gateway-timeout'
        | 'unreadable'
        | 'twice'
        | 'logged-out'
    }
  | { kind: 'late-answer' | 'late-request'; delayMs: number }
  | { kind: 'freeze' | 'crash'; faultAt: string }

export type RequestFaultKind = RequestFault['kind']

/** What a request is for, as its path says. */
export type RequestKind = 'pay' | 'look-up' | 'fence' | 'login'

const ANYWHERE = [
  'cut-off',
  'bad-gateway',
  'unavailable',
  'too-many',
  'login-page',
  'answer-lost',
  'answer-cut',
  'unreadable',
] as const satisfies RequestFaultKind[]

const ABOUT_A_PAYMENT = [
  ...ANYWHERE,
  'gateway-timeout',
  'late-answer',
  'late-request',
  'twice',
  'logged-out',
] as const satisfies RequestFaultKind[]

/** What loses answers comes up more often than what only refuses. */
const KINDS: Record<RequestKind, readonly [RequestFaultKind, ...RequestFaultKind[]]> = {
  pay: [
    ...ABOUT_A_PAYMENT,
    'answer-lost',
    'gateway-timeout',
    'late-answer',
    'late-request',
    'freeze',
  ],
  'look-up': ABOUT_A_PAYMENT,
  fence: ABOUT_A_PAYMENT,
  login: ANYWHERE,
}

/** Every kind that a run draws for requests by themselves; a crash is planned. */
export const DRAWN_FAULTS: readonly RequestFaultKind[] = [...new Set(KINDS.pay)]

const FREEZE_POINTS = ['claimed', 'started', 'performed', 'finished'] as const

export function drawRequestFault(draws: Draws, request: RequestKind): RequestFault {
  const kind = draws.oneOf(KINDS[request])
  switch (kind) {
    case 'late-answer':
      return { kind, delayMs: ATTEMPT_LIMIT_MS + draws.between(50, 500) }
    case 'late-request':
      return { kind, delayMs: draws.between(100, LATEST_REQUEST_MS) }
    case 'freeze': {
      const forMs = LEASE_MS + draws.between(100, 600)
      return { kind, faultAt: `freeze@${draws.oneOf(FREEZE_POINTS)}:${forMs}` }
    }
    case 'crash':
      throw new RangeError('a crash is planned, not drawn')
    default:
      return { kind }
  }
}

export const LATEST_REQUEST_MS = 3_000
