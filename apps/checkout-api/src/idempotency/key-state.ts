import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import { fencedAnswer } from './recall.ts'
import type { RecordRow, Records } from './records.ts'

/** What is known of a key, for a client that does not want to send its request again. */
export type KeyState =
  /** Never seen. No proof: the request may still be under way. */
  | { state: 'not-found' }
  /** The first request under it was for another operation. */
  | { state: 'mismatch' }
  /** It will be settled, with its client or without. */
  | { state: 'running' }
  /** Nothing was done, and nothing will be until its client sends it again. */
  | { state: 'waiting' }
  /** Settled, by this answer. */
  | { state: 'done'; answer: { status: number; headers: Record<string, string>; body: Uint8Array } }
  /** Settled so long ago that the answer is kept no more. */
  | { state: 'expired'; headers: Record<string, string> }
  /** A person is finding out. */
  | { state: 'review' }

export interface KeyName {
  scope: string
  key: string
  /** The operation that the caller believes the key to be for. */
  operation: string
}

/** Looks a key up. Writes nothing. */
export async function lookUpKey(
  database: Database,
  records: Records,
  { scope, key, operation }: KeyName,
): Promise<KeyState> {
  const record = await records.find(database, scope, key)
  if (!record) return { state: 'not-found' }
  if (record.operation !== operation) return { state: 'mismatch' }
  return stateOf(record)
}

/**
 * Burns a key under which nothing has begun, so that a late original executes nothing.
 *
 * @returns the state after it. Burnt is what is `done` with a `key-fenced` answer; anything else was
 * there before and stays as it was.
 */
export async function fenceKey(
  database: Database,
  records: Records,
  name: KeyName,
): Promise<KeyState> {
  await records.fence(database, { ...name, effectKey: randomUUID() }, fencedAnswer())
  return lookUpKey(database, records, name)
}

function stateOf(record: RecordRow): KeyState {
  const { phase, status, headers, body } = record
  if (phase === 'review') return { state: 'review' }
  if (phase !== 'done') return { state: record.will_resume ? 'running' : 'waiting' }
  if (status === null || headers === null || body === null)
    return { state: 'expired', headers: headers ?? {} }
  return { state: 'done', answer: { status, headers, body } }
}
