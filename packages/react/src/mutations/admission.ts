import type { Clock } from '@query-retry/core'
import { mintIdempotencyKey } from '../intents/idempotency-key.ts'
import { type Transition, transition } from '../intents/intent-machine.ts'
import type { IntentIdentity, IntentRecord } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'
import { refusalOf } from './refusal.ts'

/** An attempt that wants to be sent. */
export interface Admission {
  journal: Pick<Journal, 'update'>
  id: string
  intent: IntentIdentity
  fingerprint: string
  resendWindowMs: number
  /** Of a later attempt: the key of the first. Without it the intent is submitted. */
  key?: string
  /** When the person asked for it. */
  submittedAtEpochMs?: number
  clock: Clock
  /** Who is logged in now. */
  principal(): string
  /** What failed before, for whoever gets the refusal. */
  cause?: unknown
}

/** However long a record says: the clock that wrote it may have been wrong. */
const LONGEST_WAIT_MS = 60_000

/**
 * Asks the journal whether an attempt may be sent, and waits where the server has asked to.
 *
 * @returns a record in state `sending`: send its key now; or `succeeded`: this is its result
 * @throws {IntentError} where nothing may be sent
 */
export async function admit(request: Admission): Promise<IntentRecord> {
  const { cause, clock, fingerprint, id, key, ...submit } = request
  let mayBeEarly = !!key

  function ask(found: IntentRecord | undefined): Transition {
    const epochMs = clock.epochMs()
    const nowEpochMs = mayBeEarly ? Math.max(epochMs, found?.notBeforeEpochMs ?? 0) : epochMs
    const moment = { fingerprint, nowEpochMs, principal: request.principal() }
    let change: Transition = { record: found, next: 'dispatch' }
    if (!key) {
      change = transition(found, { type: 'submit', ...submit, ...moment }, mintIdempotencyKey)
    }
    const { next, record } = change
    if (/stop|refuse/.test(next)) return change
    const dispatch = { type: 'dispatch', key: key ?? record?.key ?? '' } as const
    return transition(record, { ...dispatch, ...moment }, mintIdempotencyKey)
  }

  for (;;) {
    const { next, record, refusal } = await request.journal.update(id, ask)
    if (record && next === 'send') return record
    if (record && next === 'answer') {
      if (record.fingerprint !== fingerprint) throw refusalOf('other-succeeded', id, cause)
      if (record.isResultLost) throw refusalOf('result-lost', id, cause)
      return record
    }
    if (next !== 'wait') {
      throw refusalOf(next === 'stop' ? 'rejected' : (refusal ?? 'no-intent'), id, cause)
    }
    const leftMs = Math.max(1, (record?.notBeforeEpochMs ?? 0) - clock.epochMs())
    await clock.sleep(Math.min(leftMs, LONGEST_WAIT_MS))
    mayBeEarly = true
  }
}
