import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { FlagError } from './flags.ts'
import { assertWritable, writeWhole } from './whole-file.ts'

const MODULE = new URL('whole-file.ts', import.meta.url).href
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whole-file-'))
})

describe('assertWritable', () => {
  it('leaves nothing behind, and what is there as it is', () => {
    const path = join(folder, 'report.html')
    assertWritable('--html', path)
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(path, 'before')
    assertWritable('--html', path)
    expect(readFileSync(path, 'utf8')).toBe('before')
  })

  it.each([
    { what: 'a folder that does not exist', path: 'no/report.html', reason: 'ENOENT' },
    { what: 'a folder', path: '.', reason: 'not a file' },
    { what: 'a file as a folder', path: 'plain/report.html', reason: 'ENOTDIR' },
  ])('refuses $what: flag, path, reason, and what is accepted', ({ path, reason }) => {
    writeFileSync(join(folder, 'plain'), '')
    const full = `${folder}/${path}`
    expect(() => assertWritable('--html', full)).toThrow(FlagError)
    expect(() => assertWritable('--html', full)).toThrow(
      `--html ${full} (${reason}): must be a file that can be written, in a folder that exists`,
    )
  })

  it('refuses a device: it would be replaced by a file', () => {
    expect(() => assertWritable('--html', '/dev/null')).toThrow('--html /dev/null (not a file)')
  })

  it('refuses an empty path', () => {
    expect(() => assertWritable('--html', '')).toThrow('--html (nothing): must be a file')
  })
})

describe('writeWhole', () => {
  it('replaces what was there, and leaves nothing else', () => {
    const path = join(folder, 'report.html')
    writeFileSync(path, 'before')
    writeWhole('--html', path, 'after')
    expect(readFileSync(path, 'utf8')).toBe('after')
    expect(readdirSync(folder)).toEqual(['report.html'])
  })

  it('writes what a link leads to, and keeps the link', () => {
    mkdirSync(join(folder, 'elsewhere'))
    const target = join(folder, 'elsewhere', 'real.html')
    writeFileSync(target, 'before')
    symlinkSync(target, join(folder, 'link.html'))
    writeWhole('--html', join(folder, 'link.html'), 'after')
    expect(readFileSync(target, 'utf8')).toBe('after')
  })

  it('says what is wrong where it cannot, and leaves nothing', () => {
    expect(() => writeWhole('--html', join(folder, 'no', 'a.html'), 'x')).toThrow('(ENOENT): must')
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves all of one text or all of the other when it is killed in the middle of writing', {
    timeout: 60_000,
  }, async () => {
    const path = join(folder, 'report.html')
    const length = 16e6
    writeFileSync(path, 'a'.repeat(length))
    // Writes for ever, so that whenever it is killed it is writing.
    const code = `
      import { writeWhole } from ${JSON.stringify(MODULE)}
      const texts = ['b', 'a'].map(letter => letter.repeat(${length}))
      console.log('writing')
      for (let turn = 0; ; turn++) writeWhole('--html', ${JSON.stringify(path)}, texts[turn % 2])`
    for (let round = 0; round < 3; round++) {
      const node = ['--import', 'tsx', '--conditions=source', '--input-type=module', '-e', code]
      const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      child.kill('SIGKILL')
      await once(child, 'exit')
      const text = readFileSync(path, 'utf8')
      expect(text.length).toBe(length)
      expect(new Set(text).size).toBe(1)
    }
  })
})
