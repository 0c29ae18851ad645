import { describe, expect, it, vi } from 'vitest'
import { browserTabs } from '../testing-support/browser-tabs.ts'
import { createDefaultJournal, type DefaultJournalOptions } from './default-journal.ts'
import type { IntentError } from './intent-error.ts'

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
  'private mode without any quota': () => browserTabs({ quota: 0 }).openTab(),
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
      await journal.clear('ann')
      expect(problems).toEqual([])
    },
  )

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
