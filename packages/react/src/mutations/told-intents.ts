import { mintIdempotencyKey } from '../intents/idempotency-key.ts'
import type { IntentEvent } from '../intents/intent-event.ts'
import { type Transition, transition } from '../intents/intent-machine.ts'
import type { IntentHolder, IntentRecord } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'

/** A tab that has not been heard of for so long is taken for gone: sending one key twice does no harm. */
export const LEASE_MS = 10_000

let tab: string | undefined

/** This page, as the holder of an intent. */
export function holdUntil(untilEpochMs: number): IntentHolder {
  tab ??= mintIdempotencyKey()
  return { tab, untilEpochMs }
}

/** Changes one record of a journal. */
export function changeIntent(
  journal: Journal,
  id: string,
  change: (record: IntentRecord | undefined) => Transition,
): Promise<Transition> {
  return journal.update(id, change)
}

/** Applies one event to a record. */
export function tellIntent(journal: Journal, id: string, event: IntentEvent): Promise<Transition> {
  return changeIntent(journal, id, record => transition(record, event, mintIdempotencyKey))
}
