import { RetryOptionError } from '@query-retry/core'
import { focusManager } from '@tanstack/react-query'
import type { AnyEvent, IntentEvent } from '../intents/intent-event.ts'
import type { IntentRecord } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'
import { reportThrown } from '../report-thrown.ts'
import { tellIntent } from './intent-changes.ts'
import { type Principal, principalNow } from './intent-names.ts'
import { runOf } from './intent-runs.ts'
import { type IntentView, viewOf } from './intent-view.ts'
import type { AskAboutKey, KeyAnswer } from './key-answer.ts'
import { refusalOf } from './refusal.ts'

/** What an intent needs of its mutation's options, asked for anew each time. */
export interface IntentSourceOptions {
  journal?: Journal
  principal?: Principal
  lookUp?: AskAboutKey
  fence?: AskAboutKey
}

/** One intent as the journal has it, to subscribe to without React. */
export function createIntentSource(id: string | undefined, options: () => IntentSourceOptions) {
  const listeners = new Set<() => void>()
  let snapshot: IntentView = { state: id ? 'loading' : 'none' }
  let stop = () => {}
  let reads = 0
  const journal = () => options().journal as Journal
  const refresh = () => void show(false)

  /** @param isFree - no other page is busy with it */
  async function show(isFree: boolean): Promise<void> {
    if (!id || !listeners.size) return
    try {
      const read = ++reads
      const where = journal()
      const record = await where.read(id)
      // A later reading has come before.
      if (read !== reads) return
      const isHere = !!runOf(where, id)
      const next = viewOf(record, Date.now(), isHere || !isFree)
      if (JSON.stringify(next) !== JSON.stringify(snapshot)) {
        snapshot = next
        for (const listener of listeners) listener()
      }
      if (isHere || isFree || !/sending|waiting/.test(next.state)) return
      // Another page may be busy with it, or may have been when it was closed.
      await where.claim?.(id, Promise.resolve())
      if (read === reads) await show(true)
    } catch (error) {
      reportThrown(error)
    }
  }

  /** Tells the journal what is known or wanted of the intent; nothing where there is none. */
  async function tell(find: (record: IntentRecord) => Promise<Partial<AnyEvent>>): Promise<void> {
    const record = id && (await journal().read(id))
    if (!record) return
    const event = {
      ...(await find(record)),
      key: record.key,
      principal: principalNow(options().principal),
      nowEpochMs: Date.now(),
    }
    const { refusal } = await tellIntent(journal(), record.id, event as IntentEvent)
    if (refusal) throw refusalOf(refusal, record.id)
  }

  async function ask(name: 'lookUp' | 'fence'): Promise<KeyAnswer | undefined> {
    const inquire = options()[name]
    if (!inquire) throw new RetryOptionError(name, inquire, 'a function')
    let answer: KeyAnswer | undefined
    await tell(async ({ key }) => {
      answer = await inquire(key)
      const { finding, result, reason } = answer
      const isResultLost = result === undefined || undefined
      return { type: `found-${finding}`, result, reason, isResultLost }
    })
    return answer
  }

  return {
    getSnapshot: () => snapshot,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      if (id && listeners.size === 1) {
        // A page that was frozen has missed what other tabs did.
        const stops = [
          journal().subscribe(which => (which ?? id) === id && refresh()),
          focusManager.subscribe(refresh),
        ]
        stop = () => {
          for (const each of stops) each()
        }
        refresh()
      }
      return () => {
        listeners.delete(listener)
        if (!listeners.size) stop()
      }
    },
    resolve: () => ask('lookUp'),
    fence: () => ask('fence'),
    startOver: () => tell(async () => ({ type: 'start-over' })),
  }
}
