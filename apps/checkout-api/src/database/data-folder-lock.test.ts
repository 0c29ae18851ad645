import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDataFolder } from './data-folder-lock.ts'

const OURS = new RegExp(`^${process.pid} \\S+\\n$`)

let folder: string
let lockPath: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkout-api-'))
  lockPath = join(folder, 'checkout-api.lock')
})
afterEach(() => rm(folder, { recursive: true }))

/** The pid of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? Number.NaN
}

describe('lockDataFolder', () => {
  it('leaves nothing behind after release', async () => {
    const lock = await lockDataFolder(folder)
    expect(await readFile(lockPath, 'utf8')).toMatch(OURS)

    await lock.release()
    await lock.release()

    expect(await readdir(folder)).toEqual([])
  })

  it('refuses while another process lives, naming it and the file', async () => {
    await writeFile(lockPath, `${process.ppid} a\n`)

    await expect(lockDataFolder(folder)).rejects.toThrow(
      `DATA_DIR=${folder} is in use by process ${process.ppid}. Stop that process or choose another folder; if it is no checkout-api, delete ${lockPath}.`,
    )
    expect(await readFile(lockPath, 'utf8')).toBe(`${process.ppid} a\n`)
  })

  it.each([
    ['a process that has ended', async () => `${await deadPid()} a\n`],
    ['an earlier process that had our pid', async () => `${process.pid} a\n`],
    ['nobody, being empty after a power cut', async () => ''],
    ['nobody, being garbage', async () => '-1 a\n'],
  ])('takes over the lock of %s', async (_, content) => {
    await writeFile(lockPath, await content())

    const lock = await lockDataFolder(folder)

    expect(await readFile(lockPath, 'utf8')).toMatch(OURS)
    await lock.release()
    expect(await readdir(folder)).toEqual([])
  })

  it('admits one of 10 that find the same stale lock at once, 30 times over', async () => {
    for (let time = 0; time < 30; time++) {
      await writeFile(lockPath, `${await deadPid()} a\n`)

      const results = await Promise.allSettled(
        Array.from({ length: 10 }, () => lockDataFolder(folder)),
      )

      const admitted = results.filter(result => result.status === 'fulfilled')
      expect(admitted).toHaveLength(1)
      expect(await readdir(folder)).toEqual(['checkout-api.lock'])
      for (const { value } of admitted) await value.release()
    }
  })

  it('names the file to delete where a process died in the middle of a takeover', async () => {
    const dead = await deadPid()
    await writeFile(lockPath, `${dead} a\n`)
    await writeFile(`${lockPath}.takeover`, `${dead} b\n`)

    await expect(lockDataFolder(folder)).rejects.toThrow(`delete ${lockPath}.takeover.`)
  })

  it('says so where the folder cannot be used', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(lockDataFolder(join(folder, 'file'))).rejects.toThrow(
      /^DATA_DIR=.* cannot be used/,
    )
  })
})
