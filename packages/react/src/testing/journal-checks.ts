import type { IntentEvent } from '../intents/intent-event.ts'
import { transition } from '../intents/intent-machine.ts'
import { type IntentRecord, intentId } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'

/** One rule that a journal has to keep. `run` rejects where it does not. */
export interface JournalCheck {
  title: string
  run(): Promise<void>
}

const intentOf = (principal: string, order: string) => ({
  principal,
  operation: 'pay',
  subject: ['order', order],
})
const idOf = (principal: string, order: string) => intentId(intentOf(principal, order))

function recordOf(principal: string, order: string, state: IntentRecord['state']): IntentRecord {
  const intent = intentOf(principal, order)
  const submit: IntentEvent = {
    type: 'submit',
    intent,
    principal,
    fingerprint: 'fp',
    resendWindowMs: 60_000,
    nowEpochMs: 1_000,
  }
  const { record } = transition(undefined, submit, () => `key-${principal}-${order}`)
  return { ...(record as IntentRecord), state }
}

function must(condition: boolean, rule: string): void {
  if (!condition) throw new Error(`The journal breaks a rule: ${rule}`)
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * What every journal has to keep, for any test runner:
 *
 *     for (const { title, run } of journalChecks(() => openMyJournal('test'))) it(title, run)
 *
 * @param open - another user of the same storage at each call, as another tab would be, or the same
 *   journal where there is only one page; the storage is empty when a check begins
 * @param reset - empties the storage before each check
 */
export function journalChecks(open: () => Journal, reset: () => void = () => {}): JournalCheck[] {
  const check = (title: string, work: () => Promise<void>): JournalCheck => ({
    title,
    run: async () => {
      reset()
      await work()
    },
  })
  const put = (journal: Journal, record: IntentRecord) =>
    journal.update(record.id, () => ({ record }))

  return [
    check('has nothing of an intent that nobody wrote', async () => {
      const journal = open()
      must((await journal.read(idOf('ann', '1'))) === undefined, 'read gives undefined for none')
      must((await journal.list('ann')).length === 0, 'list is empty at first')
    }),
    check('gives back what was written, to every user of the storage', async () => {
      const record = { ...recordOf('ann', '1', 'succeeded'), result: { paid: [true, null, '€'] } }
      await put(open(), record)
      must(isSame(await open().read(record.id), record), 'read gives the record that was written')
      must(isSame(await open().list('ann'), [record]), 'list holds the record that was written')
    }),
    check('returns what the change returned, and hands it the record as it is', async () => {
      const journal = open()
      const record = recordOf('ann', '1', 'sending')
      await put(journal, record)
      const seen = await journal.update(record.id, now => ({
        record: now,
        isIt: isSame(now, record),
      }))
      must(seen.isIt, 'update hands the stored record to the change, and its answer to the caller')
    }),
    check('forgets a record where the change leaves none', async () => {
      const journal = open()
      const record = recordOf('ann', '1', 'ready')
      await put(journal, record)
      await journal.update(record.id, () => ({ record: undefined }))
      must((await journal.read(record.id)) === undefined, 'undefined removes the record')
      must((await journal.list('ann')).length === 0, 'a removed record is in no list')
    }),
    check('writes nothing where the change throws, and passes on what it threw', async () => {
      const journal = open()
      const record = recordOf('ann', '1', 'sending')
      await put(journal, record)
      const thrown = new Error('mine')
      const caught = await journal
        .update(record.id, () => {
          throw thrown
        })
        .catch((error: unknown) => error)
      must(caught === thrown, 'update rejects with what the change threw')
      must(isSame(await journal.read(record.id), record), 'the record is as it was')
      await put(journal, { ...record, state: 'unknown' })
      must((await journal.read(record.id))?.state === 'unknown', 'the record is not left locked')
    }),
    check('does not let a caller change a stored record from outside', async () => {
      const journal = open()
      const record = recordOf('ann', '1', 'sending')
      await put(journal, record)
      const read = await journal.read(record.id)
      if (read) read.key = 'another'
      record.key = 'another'
      must((await journal.read(record.id))?.key === 'key-ann-1', 'the journal keeps its own copy')
    }),
    check('loses no change of 50 that come at once from different users', async () => {
      const id = idOf('ann', '1')
      await put(open(), { ...recordOf('ann', '1', 'sending'), dispatchCount: 0 })
      const changes = Array.from({ length: 50 }, () =>
        open().update(id, record => ({
          record: record && { ...record, dispatchCount: record.dispatchCount + 1 },
        })),
      )
      await Promise.all(changes)
      must((await open().read(id))?.dispatchCount === 50, 'every change saw the one before it')
    }),
    check('lets one of 20 tabs mint the key when all submit at once', async () => {
      const id = idOf('ann', '1')
      let minted = 0
      const keys = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const { record } = await open().update(id, record => {
            const moment = { principal: 'ann', fingerprint: 'fp', nowEpochMs: 1_000 }
            const intent = intentOf('ann', '1')
            const submit = { type: 'submit', intent, resendWindowMs: 60_000, ...moment } as const
            const mint = () => `key-${++minted}`
            const submitted = transition(record, submit, mint).record
            const key = submitted?.key ?? ''
            return transition(submitted, { type: 'dispatch', key, ...moment }, mint)
          })
          return record?.key
        }),
      )
      must(minted === 1 && new Set(keys).size === 1, 'one intent has one key')
    }),
    check('lists the records of one principal only, whatever the names look like', async () => {
      const journal = open()
      const names = ['ann', 'ann"', 'ann","pay', 'an', 'annn', '["ann"']
      for (const name of names) await put(journal, recordOf(name, '1', 'sending'))
      await put(journal, recordOf('ann', '2', 'sending'))
      for (const name of names) {
        const found = await journal.list(name)
        must(found.length === (name === 'ann' ? 2 : 1), 'list holds all of the principal’s records')
        must(
          found.every(({ principal }) => principal === name),
          'list holds nobody else’s',
        )
      }
    }),
    check('tells of every change, and of none that was none', async () => {
      const here = open()
      const there = open()
      const heard: (string | undefined)[] = []
      const stops = [here, there].map(journal => journal.subscribe(id => heard.push(id)))
      const record = recordOf('ann', '1', 'sending')
      await put(here, record)
      const isTold =
        here === there || here.durability === 'shared' ? heard.length === 2 : heard.length
      must(!!isTold, 'subscribe calls each listener once, in this page and in others')
      must(
        heard.every(id => (id ?? record.id) === record.id),
        'the id is that of the record',
      )
      heard.length = 0
      await here.update(record.id, kept => ({ record: kept }))
      must(heard.length === 0, 'a change that gives back the same object is none')
      for (const stop of stops) stop()
    }),
    check('lets one page at a time be busy with an intent, where it has claim', async () => {
      const id = idOf('ann', '1')
      let finish = () => {}
      const busy = new Promise<void>(resolve => {
        finish = resolve
      })
      await open().claim?.(id, busy)
      await open().claim?.(idOf('ann', '2'), Promise.resolve())
      let isFree = false
      const failed = Promise.reject(new Error('mine'))
      failed.catch(() => {})
      const second = open()
        .claim?.(id, failed)
        .then(() => {
          isFree = true
        })
      await new Promise(resolve => setTimeout(resolve, 20))
      must(!second || !isFree || open().durability === 'page', 'claim waits for the page before')
      finish()
      await second
      await open().claim?.(id, Promise.resolve())
    }),
    check('subscribe can be ended, more than once', async () => {
      const stop = open().subscribe(() => {})
      stop()
      stop()
    }),
  ]
}
