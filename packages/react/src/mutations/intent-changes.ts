import { mintIdempotencyKey } from '../intents/idempotency-key.ts'
import type { IntentEvent } from '../intents/intent-event.ts'
import { type Transition, transition } from '../intents/intent-machine.ts'
import type { IntentHolder, IntentRecord } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'

/** A tab that has not been heard of for so long is taken for gone: sending one key twice does no harm. */
export const LEASE_MS = 10_000

/** The name of this page, for each of its journals. */
const names = new WeakMap<Journal, string>()

/** This page, as the holder of an intent. */
export function holdUntil(journal: Journal, untilEpochMs: number): IntentHolder {
  const tab = names.get(journal) ?? mintIdempotencyKey()
  names.set(journal, tab)
  return { tab, untilEpochMs }
}

export function isHeldHere(journal: Journal, record: IntentRecord | undefined): boolean {
  return !!record?.holder && record.holder.tab === names.get(journal)
}

type Listener = (journal: Journal, id: string) => void
const listeners = new Set<Listener>()

/** Changes one record of a journal, and tells whoever shows it in this page. */
export async function changeIntent(
  journal: Journal,
  id: string,
  change: (record: IntentRecord | undefined) => Transition,
): Promise<Transition> {
  const result = await journal.update(id, change)
  for (const listener of listeners) listener(journal, id)
  return result
}

/** Applies one event to a record. */
export function tellIntent(journal: Journal, id: string, event: IntentEvent): Promise<Transition> {
  return changeIntent(journal, id, record => transition(record, event, mintIdempotencyKey))
}

/**
 * Calls `listener` when a record has changed, here or in another tab.
 *
 * @returns stops the calls
 */
export function watchIntent(journal: Journal, id: string, listener: () => void): () => void {
  const here: Listener = (where, which) => where === journal && which === id && listener()
  const stop = journal.subscribe(which => (which ?? id) === id && listener())
  listeners.add(here)
  return () => {
    listeners.delete(here)
    stop()
  }
}
