import { describe, expect, it, vi } from 'vitest'
import { browserTabs } from '../testing-support/browser-tabs.ts'
import { createDefaultJournal, type DefaultJournalOptions } from './default-journal.ts'
import type { IntentError } from './intent-error.ts'
import { transition } from './intent-machine.ts'
import { type IntentRecord, intentId } from './intent-record.ts'
import { clearJournal, type Journal } from './journal.ts'

/** The browsers that one meets. */
const BROWSERS: Record<string, () => object> = {
  'https, storage allowed': () => browserTabs().openTab(),
  'plain http, no Web Locks': () => Object.assign(browserTabs().openTab(), { navigator: {} }),
  'storage forbidden': () =>
    Object.defineProperty(browserTabs().openTab(), 'localStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError')
      },
    }),
  'storage switched off': () => Object.assign(browserTabs().openTab(), { localStorage: null }),
  'no storage at all': () => ({}),
}

function journalIn(browser: string, durability?: DefaultJournalOptions['durability']) {
  const problems: IntentError[] = []
  const journal = createDefaultJournal({
    durability,
    globals: BROWSERS[browser]?.(),
    onProblem: problem => problems.push(problem),
  })
  return { journal, problems }
}

describe('createDefaultJournal', () => {
  it('is shared by tabs where there are storage and locks, and leaves nothing of its probe behind', async () => {
    const tab = browserTabs()
    const onProblem = vi.fn()
    const journal = createDefaultJournal({ globals: tab.openTab(), onProblem })
    expect(journal.durability).toBe('shared')
    expect(onProblem).not.toHaveBeenCalled()
    expect(tab.items.size).toBe(0)
  })

  it.each(Object.keys(BROWSERS).slice(1))(
    'keeps intents for the page and says so once, best effort: %s',
    async browser => {
      const { journal, problems } = journalIn(browser)
      expect(journal.durability).toBe('page')
      await journal.update('id', record => ({ record }))
      expect(problems).toMatchObject([{ code: 'JOURNAL_UNAVAILABLE' }])
    },
  )

  it.each(Object.keys(BROWSERS).slice(1))(
    'refuses every change before it is made where durability is required: %s',
    async browser => {
      const { journal, problems } = journalIn(browser, 'required')
      const change = vi.fn()
      await expect(journal.update('id', change)).rejects.toMatchObject({
        name: 'IntentError',
        code: 'JOURNAL_UNAVAILABLE',
      })
      expect(change).not.toHaveBeenCalled()
      expect(await journal.read('id')).toBeUndefined()
      expect(await journal.list('ann')).toEqual([])
      await clearJournal(journal, 'ann')
      expect(problems).toEqual([])
    },
  )

  it('finds an earlier key in a storage that is full, and so mints no second one', async () => {
    const browser = browserTabs()
    const submit = {
      type: 'submit',
      intent: { principal: 'ann', operation: 'pay', subject: ['order', 1] },
      principal: 'ann',
      fingerprint: 'fp',
      resendWindowMs: 60_000,
      nowEpochMs: 1_000,
    } as const
    const id = intentId(submit.intent)
    const ask = (journal: Journal, key: string) =>
      journal.update(id, found => {
        const { record } = transition(found, submit, () => key)
        const dispatch = { ...submit, type: 'dispatch', key: record?.key ?? '' } as const
        return transition(record, { ...dispatch, intent: undefined } as never, () => key)
      })
    await ask(createDefaultJournal({ globals: browser.openTab() }), 'key-1')
    browser.quota = 0
    const problems: IntentError[] = []
    const onProblem = (problem: IntentError) => problems.push(problem)
    const journal = createDefaultJournal({ globals: browser.openTab(), onProblem })
    expect((await ask(journal, 'key-2')).record?.key).toBe('key-1')
    expect(problems).toMatchObject([{ code: 'JOURNAL_WRITE', at: id }])
  })

  it('meets a private mode without any quota by the same rule: refused, or kept for the page', async () => {
    const globals = browserTabs({ quota: 0 }).openTab()
    const record = { version: 1, id: 'id' } as IntentRecord
    const required = createDefaultJournal({ globals, durability: 'required' })
    await expect(required.update('id', () => ({ record }))).rejects.toMatchObject({
      code: 'JOURNAL_WRITE',
    })
    const problems: IntentError[] = []
    const journal = createDefaultJournal({ globals, onProblem: problem => problems.push(problem) })
    await journal.update('id', () => ({ record }))
    expect(problems).toMatchObject([{ code: 'JOURNAL_WRITE' }])
  })

  it('names what is missing', () => {
    expect(journalIn('plain http, no Web Locks').problems[0]?.message).toContain('https')
    expect(journalIn('storage forbidden').problems[0]?.cause).toMatchObject({
      name: 'SecurityError',
    })
  })

  it('warns on the console where nobody listens', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    createDefaultJournal({ globals: {} })
    expect(warn).toHaveBeenCalledTimes(1)
    warn.mockRestore()
  })

  it('says nothing on a server, which has no page to survive', () => {
    vi.stubGlobal('window', undefined)
    const { journal, problems } = journalIn('no storage at all')
    expect(journal.durability).toBe('page')
    expect(problems).toEqual([])
    vi.unstubAllGlobals()
  })
})
