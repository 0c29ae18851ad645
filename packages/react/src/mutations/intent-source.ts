import { RetryOptionError, systemClock } from '@query-retry/core'
import { focusManager } from '@tanstack/react-query'
import type { AnyEvent, IntentEvent } from '../intents/intent-event.ts'
import type { IntentRecord } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'
import { reportThrown } from '../report-thrown.ts'
import { holdUntil, tellIntent, watchIntent } from './intent-changes.ts'
import { type Principal, principalNow } from './intent-names.ts'
import { runOf } from './intent-runs.ts'
import { type IntentView, viewOf } from './intent-view.ts'
import type { AskAboutKey } from './key-answer.ts'
import { refusalOf } from './refusal.ts'
import { defaultJournal } from './shared-journal.ts'

/** What an intent needs of its mutation's options, asked for anew each time. */
export interface IntentSourceOptions {
  journal?: Journal
  principal?: Principal
  lookUp?: AskAboutKey
  fence?: AskAboutKey
}

/** How long a server that says nothing of it is left alone with a request that runs. */
const ASK_AGAIN_MS = 2_000

/** One intent as the journal has it, to subscribe to without React. */
export function createIntentSource(id: string | undefined, options: () => IntentSourceOptions) {
  const listeners = new Set<() => void>()
  let snapshot: IntentView = { state: id ? 'loading' : 'none' }
  let stop = () => {}
  let timer = new AbortController()
  let reads = 0
  const journal = () => options().journal ?? defaultJournal()

  async function refresh(): Promise<void> {
    if (!id || !listeners.size) return
    try {
      const read = ++reads
      const record = await journal().read(id)
      // A later reading has come before.
      if (read !== reads) return
      const nowEpochMs = Date.now()
      const next = viewOf(record, nowEpochMs, !!runOf(journal(), id))
      if (JSON.stringify(next) !== JSON.stringify(snapshot)) {
        snapshot = next
        for (const listener of listeners) listener()
      }
      timer.abort()
      timer = new AbortController()
      // What is shown changes by itself when its holder is gone, and when it is too late.
      const leftMs = [record?.holder?.untilEpochMs, record?.sendByEpochMs]
        .map((epochMs = 0) => epochMs - nowEpochMs)
        .find(ms => ms > 0)
      if (leftMs && listeners.size) systemClock.sleep(leftMs, timer.signal).then(refresh, () => {})
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

  async function ask(name: 'lookUp' | 'fence'): Promise<void> {
    const inquire = options()[name]
    if (!inquire) throw new RetryOptionError(name, inquire, 'a function')
    await tell(async ({ key }) => {
      const { finding, result, reason, waitMs = ASK_AGAIN_MS } = await inquire(key)
      const notBeforeEpochMs = Date.now() + waitMs
      return {
        type: `found-${finding}`,
        result,
        reason,
        ...(result === undefined && { isResultLost: true }),
        ...(finding === 'running' && {
          notBeforeEpochMs,
          holder: holdUntil(journal(), notBeforeEpochMs),
        }),
      }
    })
  }

  return {
    getSnapshot: () => snapshot,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      if (id && listeners.size === 1) {
        // A page that was frozen has missed what other tabs did.
        const stops = [watchIntent(journal(), id, refresh), focusManager.subscribe(refresh)]
        stop = () => {
          for (const each of stops) each()
          timer.abort()
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
