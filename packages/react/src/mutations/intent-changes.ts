import { mintIdempotencyKey } from '../intents/idempotency-key.ts'
import type { IntentEvent } from '../intents/intent-event.ts'
import { type Transition, transition } from '../intents/intent-machine.ts'
import type { Journal } from '../intents/journal.ts'

/** Applies one event to a record of a journal. */
export function tellIntent(
  journal: Pick<Journal, 'update'>,
  id: string,
  event: IntentEvent,
): Promise<Transition> {
  return journal.update(id, record => transition(record, event, mintIdempotencyKey))
}
