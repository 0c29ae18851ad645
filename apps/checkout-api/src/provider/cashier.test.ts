import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Cashier } from './cashier.ts'
import { Ledger, type LedgerEntry } from './ledger.ts'
import { ORDER } from './testing/send-charge.ts'

const DELAY_MS = 5_000
const KEY_RETENTION_MS = 60_000
const logged: string[] = []

beforeEach(() => {
  vi.useFakeTimers()
  logged.length = 0
})
afterEach(() => {
  vi.useRealTimers()
})

function open(store?: { append(entry: LedgerEntry): Promise<void> }) {
  const ledger = new Ledger(store)
  const cashier = new Cashier({
    ledger,
    keyRetentionMs: KEY_RETENTION_MS,
    nowEpochMs: Date.now,
    log: line => logged.push(line),
  })
  return { ledger, cashier }
}

describe('Cashier.charge', () => {
  it('lets repeats wait for a first that is still being written, and shows nothing before', async () => {
    let finish: () => void = () => undefined
    const { ledger, cashier } = open({
      append: () =>
        new Promise(resolve => {
          finish = resolve
        }),
    })
    const first = cashier.charge('k', ORDER)
    const second = cashier.charge('k', ORDER)

    expect(cashier.standingOf('k', ORDER)).toBe('known')
    expect(cashier.standingOf('k', { ...ORDER, amount: 1 })).toBe('mismatch')
    expect(ledger.findByKey('k')).toBeUndefined()
    finish()

    expect((await first).isReplay).toBe(false)
    expect(await second).toEqual({ charge: (await first).charge, isReplay: true })
    expect(ledger.list()).toHaveLength(1)
  })

  it('makes no charge that cannot be written, and lets the next call try again', async () => {
    const append = vi
      .fn()
      .mockRejectedValueOnce(new Error('disk full'))
      .mockResolvedValue(undefined)
    const { ledger, cashier } = open({ append })

    await expect(cashier.charge('k', ORDER)).rejects.toThrow('disk full')
    expect(ledger.list()).toEqual([])
    expect(await cashier.charge('k', ORDER)).toMatchObject({ isReplay: false })
    expect(ledger.list()).toHaveLength(1)
  })
})

describe('Cashier.chargeLater', () => {
  it('charges when the delay is over, and not before', async () => {
    const { ledger, cashier } = open()
    cashier.chargeLater('k', ORDER, DELAY_MS)

    await vi.advanceTimersByTimeAsync(DELAY_MS - 1)
    expect(ledger.list()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ledger.findByKey('k')?.charge).toMatchObject({ status: 'captured', amount: 76_000 })
  })

  it('is void once a repeat has come, though put off twice: that one charges, right then', async () => {
    const { ledger, cashier } = open()
    // Longer than keys are remembered: a timer that was left would charge again.
    cashier.chargeLater('k', ORDER, KEY_RETENTION_MS + 1)
    cashier.chargeLater('k', ORDER, KEY_RETENTION_MS + 1)

    const { isReplay } = await cashier.charge('k', ORDER)
    expect(isReplay).toBe(false)
    await vi.advanceTimersByTimeAsync(KEY_RETENTION_MS + 1)

    expect(ledger.list()).toHaveLength(1)
  })

  it('gives its charge to a repeat that comes after it', async () => {
    const { ledger, cashier } = open()
    cashier.chargeLater('k', ORDER, DELAY_MS)
    await vi.advanceTimersByTimeAsync(DELAY_MS)

    const { charge, isReplay } = await cashier.charge('k', ORDER)

    expect(isReplay).toBe(true)
    expect(ledger.list()).toEqual([charge])
  })

  it('charges once, at the first time, where a repeat is put off as well', async () => {
    const { ledger, cashier } = open()
    cashier.chargeLater('k', ORDER, DELAY_MS)
    await vi.advanceTimersByTimeAsync(DELAY_MS - 1)
    cashier.chargeLater('k', ORDER, DELAY_MS)

    await vi.advanceTimersByTimeAsync(1)
    expect(ledger.list()).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(100_000)
    expect(ledger.list()).toHaveLength(1)
  })

  it('does nothing for a key that has its charge', async () => {
    const { ledger, cashier } = open()
    await cashier.charge('k', ORDER)
    cashier.chargeLater('k', ORDER, KEY_RETENTION_MS + 1)

    await vi.advanceTimersByTimeAsync(KEY_RETENTION_MS + 1)

    expect(ledger.list()).toHaveLength(1)
  })

  it('refuses other parameters from the beginning', () => {
    const { cashier } = open()
    cashier.chargeLater('k', ORDER, DELAY_MS)

    expect(cashier.standingOf('k', ORDER)).toBe('new')
    expect(cashier.standingOf('k', { ...ORDER, amount: 1 })).toBe('mismatch')
    cashier.close()
  })

  it('says so where it could not be written', async () => {
    const { cashier } = open({ append: () => Promise.reject(new Error('disk full')) })
    cashier.chargeLater('k', ORDER, DELAY_MS)

    await vi.advanceTimersByTimeAsync(DELAY_MS)

    expect(logged).toEqual(['A late charge for ord_1004 failed: Error: disk full'])
  })
})

describe('Cashier.close', () => {
  it('makes no late charge any more, and says how many', async () => {
    const { ledger, cashier } = open()
    cashier.chargeLater('a', ORDER, DELAY_MS)
    cashier.chargeLater('b', ORDER, DELAY_MS)

    cashier.close()
    await vi.advanceTimersByTimeAsync(DELAY_MS)

    expect(ledger.list()).toEqual([])
    expect(logged).toEqual(['Closing before 2 late charges were made'])
  })
})
