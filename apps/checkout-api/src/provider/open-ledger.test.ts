import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLedger } from './open-ledger.ts'

let folder: string
const logged: string[] = []
const log = (line: string) => logged.push(line)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'provider-'))
  logged.length = 0
})
afterEach(() => rm(folder, { recursive: true }))

describe('openLedger', () => {
  it('creates the folder, and lets it go on close', async () => {
    const dataDir = join(folder, 'a', 'b')
    const { close } = await openLedger(dataDir, log)
    expect(await readdir(dataDir)).toContain('checkout-api.lock')

    await close()

    expect(await readdir(dataDir)).toEqual(['ledger.jsonl'])
    expect(logged).toEqual([])
  })

  it('admits one at a time to a folder', async () => {
    const { close } = await openLedger(folder, log)

    await expect(openLedger(folder, log)).rejects.toThrow(
      `DATA_DIR=${folder} is in use by process ${process.pid}.`,
    )
    await close()
    await (await openLedger(folder, log)).close()
  })

  it('says that it dropped a torn line', async () => {
    await writeFile(join(folder, 'ledger.jsonl'), '{"key":')
    await (await openLedger(folder, log)).close()

    expect(logged).toEqual([
      `${join(folder, 'ledger.jsonl')}: dropped a last line that was cut while it was written; nobody was told of it`,
    ])
  })

  it('names file and line of what is no charge, in one line, and lets the folder go', async () => {
    const path = join(folder, 'ledger.jsonl')
    await writeFile(path, 'garbage\n')

    await expect(openLedger(folder, log)).rejects.toThrow(
      `DATA_DIR=${folder} holds a ledger whose line 1 is not a charge (${path}:1). Mend that line, or move the file away to begin with an empty ledger.`,
    )
    expect(await readdir(folder)).toEqual(['ledger.jsonl'])
  })

  it('says so where there is a folder in place of the file', async () => {
    await mkdir(join(folder, 'ledger.jsonl'))

    await expect(openLedger(folder, log)).rejects.toThrow(
      expect.objectContaining({ code: 'setting', setting: 'DATA_DIR', value: folder }),
    )
    expect(await readdir(folder)).toEqual(['ledger.jsonl'])
  })
})
