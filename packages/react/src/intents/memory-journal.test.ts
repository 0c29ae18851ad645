import { describe, it } from 'vitest'
import { journalChecks } from '../testing/journal-checks.ts'
import type { Journal } from './journal.ts'
import { createMemoryJournal } from './memory-journal.ts'

describe('createMemoryJournal', () => {
  let journal: Journal = createMemoryJournal()
  const renew = () => {
    journal = createMemoryJournal()
  }
  it.each(journalChecks(() => journal, renew))('$title', ({ run }) => run())
})
