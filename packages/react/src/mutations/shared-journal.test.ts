import { describe, expect, it, vi } from 'vitest'
import { clearJournal } from '../intents/journal.ts'
import { advance, installFakeTime } from '../testing-support/conversation.ts'
import { PAID, startPayments } from '../testing-support/scripted-mutation.ts'
import { defaultJournal } from './shared-journal.ts'

installFakeTime()

describe('defaultJournal', () => {
  it('is one for the page, and forgets what is settled at a logout', async () => {
    // jsdom has no Web Locks, and so it says that keys do not survive the page.
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { keys, submit } = startPayments([PAID])
    const pay = async () => {
      const paying = submit(undefined, { journal: defaultJournal() })
      await advance(1_000)
      return paying.data
    }
    expect(await pay()).toEqual({ receipt: 1 })
    expect(await pay()).toEqual({ receipt: 1 })
    expect(keys()).toHaveLength(1)
    expect(warn).toHaveBeenCalledOnce()
    expect(await defaultJournal().list('ann')).toMatchObject([{ state: 'succeeded' }])
    await clearJournal(defaultJournal(), 'ann')
    expect(await defaultJournal().list('ann')).toEqual([])
    await pay()
    expect(keys()).toHaveLength(2)
  })
})
