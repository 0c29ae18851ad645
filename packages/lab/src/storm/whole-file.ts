import { existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { FlagError } from './flags.ts'

/**
 * Tries whether a file can be written, and leaves what is there as it is: a long run should not find out at its end.
 *
 * @throws {FlagError} naming the flag, the path and what is wrong with it
 */
export function assertWritable(flag: string, path: string): void {
  if (path === '') throw new FlagError(flag, '(nothing)', ACCEPTED)
  attempt(flag, path, () => {
    if (existsSync(path) && !statSync(path).isFile()) throw new Error('not a file')
    const beside = temporaryName(path)
    writeFileSync(beside, '', { flag: 'wx' })
    rmSync(beside)
  })
}

/**
 * Writes a file whole or not at all: beside it first, and then in its place. Whoever reads it, and whenever the process is
 * killed, sees either what was there before or all of the new.
 *
 * @throws {FlagError} as {@link assertWritable}
 */
export function writeWhole(flag: string, path: string, text: string): void {
  const beside = temporaryName(path)
  attempt(flag, path, () => {
    try {
      writeFileSync(beside, text, { flag: 'wx', flush: true })
      renameSync(beside, target(path))
    } catch (error) {
      rmSync(beside, { force: true })
      throw error
    }
  })
}

const ACCEPTED = 'a file that can be written, in a folder that exists'

function attempt(flag: string, path: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new FlagError(flag, `${path} (${code ?? message})`, ACCEPTED)
  }
}

/** In the same folder: a rename from elsewhere would be a copy, which can be interrupted. */
function temporaryName(path: string): string {
  const file = target(path)
  return join(dirname(file), `.${basename(file)}.${process.pid}.tmp`)
}

/** A link stays a link: what it leads to is written. */
function target(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}
