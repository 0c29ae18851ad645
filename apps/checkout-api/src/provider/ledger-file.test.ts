import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LedgerEntry } from './ledger.ts'
import { LedgerFile } from './ledger-file.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'provider-'))
  path = join(folder, 'ledger.jsonl')
})
afterEach(() => rm(folder, { recursive: true }))

function entryOf(key: string, declineCode?: string): LedgerEntry {
  return {
    key,
    fingerprint: 'f',
    charge: {
      id: `ch_${key}`,
      status: declineCode === undefined ? 'captured' : 'declined',
      ...(declineCode !== undefined && { declineCode }),
      reference: 'ord_1',
      amount: 1,
      currency: 'KRW',
      createdAt: '2026-07-01T09:00:00.000Z',
    },
  }
}

async function write(...entries: LedgerEntry[]): Promise<void> {
  const { file } = await LedgerFile.open(path)
  for (const entry of entries) await file.append(entry)
  await file.close()
}

async function reopen() {
  const { file, ...found } = await LedgerFile.open(path)
  await file.close()
  return found
}

describe('LedgerFile', () => {
  it('reads back what was appended, members in the same order', async () => {
    const entries = [entryOf('a'), entryOf('b', 'expired-card')]
    await write(...entries)

    const found = await reopen()

    expect(found.hasDroppedLine).toBe(false)
    expect(JSON.stringify(found.entries)).toBe(JSON.stringify(entries))
  })

  it('has an entry on disk when append resolves, in the order of the calls', async () => {
    const { file } = await LedgerFile.open(path)
    const keys = Array.from({ length: 200 }, (_, index) => `k${index}`)
    await Promise.all(keys.map(key => file.append(entryOf(key))))

    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line).key)).toEqual(keys)
    await file.close()
  })

  it('an entry that comes just as the one before it was written is not left waiting', async () => {
    const { file } = await LedgerFile.open(path)
    for (let count = 0; count < 50; count++) await file.append(entryOf(`k${count}`))
    await file.close()

    expect((await reopen()).entries).toHaveLength(50)
  })

  it('finishes on close what was under way', async () => {
    const { file } = await LedgerFile.open(path)
    const writing = [file.append(entryOf('a')), file.append(entryOf('b'))]
    await file.close()

    await Promise.all(writing)
    expect((await reopen()).entries).toHaveLength(2)
  })

  it('fails for good once a write has failed', async () => {
    const { file } = await LedgerFile.open(path)
    await file.close()

    const failure = await file.append(entryOf('a')).catch(error => error)
    expect(failure).toMatchObject({ code: 'EBADF' })
    for (const key of ['b', 'c']) await expect(file.append(entryOf(key))).rejects.toBe(failure)
    expect((await reopen()).entries).toEqual([])
  })

  it.each([
    ['the beginning of a line', '{"key":"b","finger'],
    ['a whole line without its end', JSON.stringify(entryOf('b'))],
    ['half of a character', Buffer.from('한').subarray(0, 2)],
  ])('drops %s at the end, and goes on after the last whole line', async (_, torn) => {
    await write(entryOf('a'))
    await appendFile(path, torn)

    expect(await reopen()).toEqual({ entries: [entryOf('a')], hasDroppedLine: true })
    await write(entryOf('c'))
    expect(await reopen()).toEqual({
      entries: [entryOf('a'), entryOf('c')],
      hasDroppedLine: false,
    })
  })

  it('drops a torn line that is all there is', async () => {
    await writeFile(path, '{"k')
    expect(await reopen()).toEqual({ entries: [], hasDroppedLine: true })
    expect((await stat(path)).size).toBe(0)
  })

  it.each([
    ['no JSON', 'garbage'],
    ['nothing', ''],
    ['another object', '{"key":"b"}'],
    ['a negative amount', JSON.stringify(entryOf('b')).replace('"amount":1', '"amount":-1')],
    ['no date', JSON.stringify(entryOf('b')).replace('2026-07-01T09:00:00.000Z', 'yesterday')],
    ['zeros, as a power cut leaves them', '\0\0\0'],
  ])('refuses a line that holds %s, wherever it stands, and changes nothing', async (_, line) => {
    await write(entryOf('a'))
    await appendFile(path, `${line}\n${JSON.stringify(entryOf('c'))}\n{"torn`)
    const before = await readFile(path)

    await expect(reopen()).rejects.toMatchObject({ code: 'ledger-line', line: 2 })
    expect(await readFile(path)).toEqual(before)
  })
})
