import { describe, expect, it } from 'vitest'
import { journalChecks } from '../testing/journal-checks.ts'
import { browserTabs } from '../testing-support/browser-tabs.ts'
import { createDefaultJournal, type JournalPolicy } from './default-journal.ts'
import type { IntentError } from './intent-error.ts'
import { transition } from './intent-machine.ts'
import type { IntentRecord } from './intent-record.ts'
import { clearJournal } from './journal.ts'

const RECORD = transition(
  undefined,
  {
    type: 'submit',
    intent: { principal: 'ann', operation: 'pay', subject: ['order', '1'] },
    principal: 'ann',
    fingerprint: 'fp',
    resendWindowMs: 60_000,
    nowEpochMs: 1_000,
  },
  () => 'key-1',
).record as IntentRecord
const { id } = RECORD
const NAME = `query-retry.intent:${id}`

function stage(policy: JournalPolicy = 'required', options: { quota?: number } = {}) {
  const browser = browserTabs(options)
  const problems: IntentError[] = []
  const openJournal = () =>
    createDefaultJournal({
      globals: browser.openTab(),
      durability: policy,
      onProblem: problem => problems.push(problem),
    })
  return { browser, problems, openJournal, journal: openJournal() }
}

const put = (record: IntentRecord | undefined) => () => ({ record })

describe('createDefaultJournal, in localStorage', () => {
  let shared = stage()
  const renew = () => {
    shared = stage()
  }
  it.each(journalChecks(() => shared.openJournal(), renew))('$title', ({ run }) => run())

  it('holds the lock of this record, and of no other, from before it reads until it has written', async () => {
    const { browser, openJournal } = stage()
    const held: string[] = []
    browser.locks.request = async (name, work) => {
      held.push(name)
      const result = await work()
      expect(browser.items.has(NAME)).toBe(true)
      held.pop()
      return result
    }
    await openJournal().update(id, () => {
      expect(held).toEqual([NAME])
      return { record: RECORD }
    })
  })

  it('survives a reload: another page of the same browser reads it', async () => {
    const { journal, openJournal } = stage()
    await journal.update(id, put(RECORD))
    expect(await openJournal().read(id)).toEqual(RECORD)
  })

  it('tells this tab and others which record changed, and nobody of other entries', async () => {
    const { browser, journal, openJournal } = stage()
    const other = openJournal()
    const heard: (string | undefined)[][] = [[], []]
    journal.subscribe(changed => heard[0]?.push(changed))
    const stop = other.subscribe(changed => heard[1]?.push(changed))
    await journal.update(id, put(RECORD))
    browser.openTab().localStorage.setItem('somebody else’s', 'x')
    browser.openTab().localStorage.clear()
    expect(heard).toEqual([
      [id, undefined],
      [id, undefined],
    ])
    stop()
    await journal.update(id, put(RECORD))
    expect(heard[1]).toHaveLength(2)
  })

  it('does not write where the change gives back the same record', async () => {
    const { journal, openJournal } = stage()
    await journal.update(id, put(RECORD))
    const heard: unknown[] = []
    openJournal().subscribe(changed => heard.push(changed))
    await journal.update(id, record => ({ record }))
    expect(heard).toEqual([])
  })

  it('refuses a change that does not fit: full storage, nothing is kept, nothing may be sent', async () => {
    const { browser, journal } = stage('required', { quota: 20 })
    await expect(journal.update(id, put(RECORD))).rejects.toMatchObject({
      name: 'IntentError',
      code: 'JOURNAL_WRITE',
      at: id,
      cause: { name: 'QuotaExceededError' },
    })
    expect(browser.items.size).toBe(0)
    browser.quota = Infinity
    await journal.update(id, put(RECORD))
    expect(await journal.read(id)).toEqual(RECORD)
  })

  it('keeps in this page what does not fit with best effort, says so once, and writes it when it fits', async () => {
    const { browser, journal, openJournal, problems } = stage('best-effort', { quota: 20 })
    await journal.update(id, put(RECORD))
    await journal.update(id, record => ({ record: record && { ...record, state: 'sending' } }))
    expect(await journal.read(id)).toMatchObject({ key: 'key-1', state: 'sending' })
    expect(problems).toMatchObject([{ code: 'JOURNAL_WRITE', at: id }])
    browser.quota = Infinity
    await journal.update(id, record => ({ record: record && { ...record, state: 'unknown' } }))
    expect(await openJournal().read(id)).toMatchObject({ key: 'key-1', state: 'unknown' })
  })

  it.each<JournalPolicy>(['required', 'best-effort'])(
    'keeps a success without its result where the result does not fit, %s',
    async policy => {
      const { browser, journal, problems } = stage(policy)
      await journal.update(id, put({ ...RECORD, state: 'sending' }))
      browser.quota = NAME.length + JSON.stringify(RECORD).length + 60
      const result = 'x'.repeat(200)
      await journal.update(id, put({ ...RECORD, state: 'succeeded', result }))
      const kept = await journal.read(id)
      expect(kept).toEqual({ ...RECORD, state: 'succeeded', isResultLost: true })
      expect(problems).toEqual([])
    },
  )

  it.each(['not JSON', '{}', JSON.stringify({ ...RECORD, version: 2 })])(
    'refuses the subject of a record that it cannot read, and leaves it there: %s',
    async garbage => {
      const { browser, journal } = stage('required')
      browser.items.set(NAME, garbage)
      let calls = 0
      const change = () => {
        calls++
        return { record: RECORD }
      }
      const refusal = { code: 'JOURNAL_UNREADABLE', at: id }
      await expect(journal.update(id, change)).rejects.toMatchObject(refusal)
      await expect(journal.read(id)).rejects.toMatchObject(refusal)
      expect(await journal.list('ann')).toEqual([])
      await clearJournal(journal, 'ann')
      expect(calls, 'no second key is minted').toBe(0)
      expect(browser.items.get(NAME)).toBe(garbage)
    },
  )

  it('says once that a record cannot be read, and goes on without it, with best effort', async () => {
    const { browser, journal, problems } = stage('best-effort')
    browser.items.set(NAME, 'not JSON')
    await journal.read(id)
    expect(await journal.update(id, record => ({ record: record ?? RECORD }))).toEqual({
      record: RECORD,
    })
    expect(problems).toMatchObject([{ code: 'JOURNAL_UNREADABLE', at: id }])
    expect(problems[0]?.message).not.toContain('not JSON')
    expect(await journal.read(id)).toEqual(RECORD)
  })

  it('leaves the entries of others alone, in a list and at a logout', async () => {
    const { browser, journal } = stage()
    browser.items.set('cart', '["ann"]')
    await journal.update(id, put({ ...RECORD, state: 'succeeded' }))
    expect(await journal.list('ann')).toHaveLength(1)
    await clearJournal(journal, 'ann')
    expect([...browser.items.keys()]).toEqual(['cart'])
  })
})
