import { type Answer, problemAnswer } from './answer.ts'
import type { RecordRow } from './records.ts'

/** What a caller gets, and whether it is the key's own answer or one about the key. */
export interface Reply extends Answer {
  /** `completed`: executed just now. `replayed`: the stored answer again. Absent: not settled by this. */
  idempotencyStatus?: 'completed' | 'replayed'
}

/** When a caller that met somebody else's work may look again. */
const LOOK_AGAIN_SECONDS = 1
/** When an effect whose outcome is unknown has had time to be asked for again. */
const UNKNOWN_AGAIN_SECONDS = 2

/**
 * What a known key answers to a request, by the record alone. Writes nothing.
 *
 * @returns undefined where nobody works on it and nothing is stored: it may be taken over
 */
export function recall(
  record: RecordRow,
  request: { operation: string; fingerprint: Uint8Array },
): Reply | undefined {
  // A key that was fenced before its request came has no fingerprint: it is burnt for any.
  const isSameRequest =
    record.operation === request.operation &&
    (record.fingerprint === null || Buffer.compare(record.fingerprint, request.fingerprint) === 0)
  if (!isSameRequest) return keyMismatch()
  if (record.phase === 'done') return replay(record)
  if (record.phase === 'review') return underReview()
  if (record.is_leased) return inProgress()
  return undefined
}

/** The stored answer of a finished record, or 410 where it has been dropped. */
export function replay({ status, headers, body }: RecordRow): Reply {
  if (status === null || headers === null || body === null) return resultExpired(headers?.Link)
  return { status, headers, body, idempotencyStatus: 'replayed' }
}

export function inProgress(): Reply {
  return problemAnswer(
    {
      type: 'request-in-progress',
      status: 409,
      title: 'A request with this idempotency key is being worked on',
      detail:
        'Send the same request under the same key again after Retry-After, or look the key up.',
    },
    { 'Retry-After': String(LOOK_AGAIN_SECONDS) },
  )
}

export function outcomeUnknown(): Reply {
  return problemAnswer(
    {
      type: 'outcome-unknown',
      status: 503,
      title: 'It is not known yet whether this has happened',
      detail: 'Send the same request under the same idempotency key again, or look the key up.',
    },
    { 'Retry-After': String(UNKNOWN_AGAIN_SECONDS) },
  )
}

/** What a burnt key answers to a request that comes after all. Stored like any final answer. */
export function fencedAnswer(): Answer {
  return problemAnswer({
    type: 'key-fenced',
    status: 409,
    title: 'This idempotency key was given up before anything was done under it',
    detail: 'Nothing was done, and nothing will be. Ask again under a new key.',
  })
}

export function keyMismatch(): Reply {
  return problemAnswer({
    type: 'key-mismatch',
    status: 422,
    title: 'This idempotency key belongs to another request',
    detail: 'The first request under this key had another route or other fields. It is unharmed.',
  })
}

export function underReview(): Reply {
  return problemAnswer({
    type: 'under-review',
    status: 409,
    title: 'Somebody is finding out what became of this request',
  })
}

function resultExpired(link: string | undefined): Reply {
  return problemAnswer(
    {
      type: 'result-expired',
      status: 410,
      title: 'This was answered so long ago that the answer is kept no more',
    },
    link === undefined ? {} : { Link: link },
  )
}
