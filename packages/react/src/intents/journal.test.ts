import { describe, expect, it } from 'vitest'
import type { IntentState } from './intent-record.ts'
import { type IntentRecord, intentId } from './intent-record.ts'
import { clearJournal } from './journal.ts'
import { createMemoryJournal } from './memory-journal.ts'

const KEPT: Record<IntentState, boolean> = {
  ready: false,
  sending: true,
  waiting: true,
  unknown: true,
  expired: true,
  conflict: true,
  succeeded: false,
  rejected: false,
}

describe('clearJournal', () => {
  const journal = createMemoryJournal()
  async function put(principal: string, state: IntentState) {
    const intent = { principal, operation: 'pay', subject: ['order', state] }
    const id = intentId(intent)
    const record = { version: 1, id, ...intent, key: 'key-1', state } as unknown as IntentRecord
    await journal.update(id, () => ({ record }))
  }

  it('forgets what is settled or was never sent, keeps what is unresolved, and touches nobody else’s', async () => {
    const states = Object.keys(KEPT) as IntentState[]
    for (const state of states) await put('ann', state)
    await put('bob', 'succeeded')
    await clearJournal(journal, 'ann')
    const left = (await journal.list('ann')).map(({ state }) => state)
    expect(left.sort()).toEqual(states.filter(state => KEPT[state]).sort())
    expect(await journal.list('bob')).toHaveLength(1)
  })
})
