import { describe, expect, it } from 'vitest'
import type { IntentRecord } from '../intents/intent-record.ts'
import type { Journal } from '../intents/journal.ts'
import { journalChecks } from './journal-checks.ts'

/** A journal over an asynchronous store, correct but for what `mistake` puts in the place of a part. */
function journalWith(mistake: (records: Map<string, IntentRecord>) => Partial<Journal>): Journal {
  const records = new Map<string, IntentRecord>()
  let queue: Promise<unknown> = Promise.resolve()
  const listeners = new Set<(id: string | undefined) => void>()
  const copy = <T>(value: T): T => structuredClone(value)
  const journal: Journal = {
    durability: 'page',
    update(id, change) {
      const turn = queue.then(async () => {
        const before = copy(records.get(id))
        await undefined
        const result = change(before)
        if (result.record) records.set(id, copy(result.record))
        else records.delete(id)
        if (result.record !== before) for (const listener of listeners) listener(id)
        return result
      })
      queue = turn.catch(() => {})
      return turn
    },
    read: async id => copy(records.get(id)),
    list: async principal =>
      copy([...records.values()].filter(record => record.principal === principal)),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return { ...journal, ...mistake(records) }
}

async function brokenRules(mistake: Parameters<typeof journalWith>[0]): Promise<string[]> {
  let journal = journalWith(mistake)
  const checks = journalChecks(
    () => journal,
    () => {
      journal = journalWith(mistake)
    },
  )
  const broken: string[] = []
  for (const { title, run } of checks) await run().catch(() => broken.push(title))
  return broken
}

describe('journalChecks', () => {
  it('finds nothing wrong with an asynchronous journal that keeps the rules', async () => {
    expect(await brokenRules(() => ({}))).toEqual([])
  })

  it.each<[mistake: string, Parameters<typeof journalWith>[0], title: RegExp]>([
    [
      'lets others in between reading and writing',
      records => ({
        async update(id, change) {
          const before = records.get(id)
          await undefined
          const result = change(before)
          if (result.record) records.set(id, result.record)
          return result
        },
      }),
      /loses no change/,
    ],
    [
      'mints twice at once',
      records => ({
        async update(id, change) {
          const before = records.get(id)
          await undefined
          const result = change(before)
          if (result.record) records.set(id, result.record)
          return result
        },
      }),
      /one of 20 tabs/,
    ],
    [
      'hands out its own object',
      records => ({ read: async id => records.get(id) }),
      /from outside/,
    ],
    ['tells nobody', () => ({ subscribe: () => () => {} }), /tells of every change/],
    [
      'lets two pages be busy',
      () => ({ durability: 'shared', claim: async () => {} }),
      /one page at a time/,
    ],
    [
      'mixes up principals that begin alike',
      records => ({
        list: async name =>
          [...records.values()].filter(({ principal }) => principal.startsWith(name)),
      }),
      /one principal only/,
    ],
    ['forgets', () => ({ read: async () => undefined }), /gives back what was written/],
    [
      'swallows what a change throws',
      () => ({ update: async () => ({ record: undefined }) as never }),
      /passes on what it threw/,
    ],
  ])('finds a journal that %s', async (_, mistake, title) => {
    expect(await brokenRules(mistake)).toContainEqual(expect.stringMatching(title))
  })
})
