import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SettingError } from '../setting-error.ts'

/** Others that take the same stale lock over need milliseconds; after a second one of them has died. */
const ROUNDS = 50
const ROUND_MS = 20

/** A lock with our pid that is not in here was left by an earlier process (containers reuse pids). */
const heldByThisProcess = new Set<string>()

/**
 * Keeps a second process out of an embedded database's folder: PGlite has no lock of its own, and
 * two instances writing one folder corrupt it.
 *
 * A lock whose process is gone (power cut, SIGKILL) is taken over.
 *
 * @throws SettingError when a living process holds the folder, or it cannot be written
 */
export async function lockDataFolder(dataDir: string): Promise<{ release(): Promise<void> }> {
  const path = join(dataDir, 'checkout-api.lock')
  // Unlike the pid alone, this line names one lock: what is taken over is what was found stale.
  const line = `${process.pid} ${randomUUID()}\n`
  const draft = `${path}.${randomUUID()}`
  heldByThisProcess.add(line)
  try {
    await mkdir(dataDir, { recursive: true })
    // Written aside and moved into place, so that nobody ever reads a half-written lock.
    await writeFile(draft, line)
    await acquire(dataDir, path, draft)
  } catch (error) {
    heldByThisProcess.delete(line)
    if (error instanceof SettingError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new SettingError(
      'DATA_DIR',
      dataDir,
      `cannot be used (${reason})`,
      'Choose a folder that this user may write.',
      error,
    )
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
  }
  return {
    async release() {
      if (heldByThisProcess.delete(line)) await rm(path, { force: true })
    },
  }
}

async function acquire(dataDir: string, path: string, draft: string): Promise<void> {
  const claim = `${path}.takeover`
  for (let round = 0; round < ROUNDS; round++) {
    if (await tryLink(draft, path)) return
    const found = await readLock(path)
    if (found !== undefined && isHeld(found)) throw inUse(dataDir, path, found)
    if (await tryLink(draft, claim)) {
      try {
        // Only the holder of the claim replaces a lock, so what is still stale now stays stale.
        const current = await readLock(path)
        if (current !== undefined && !isHeld(current)) {
          await rename(draft, path)
          return
        }
      } finally {
        await rm(claim, { force: true })
      }
    }
    await sleep(ROUND_MS)
  }
  throw inUse(dataDir, claim, (await readLock(claim)) ?? '')
}

/** Gives `draft` a second name unless that name exists: the file system's own test-and-set. */
async function tryLink(draft: string, name: string): Promise<boolean> {
  try {
    await link(draft, name)
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  }
}

async function readLock(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(error => {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  })
}

function isHeld(line: string): boolean {
  const pid = readPid(line)
  if (pid === undefined) return false
  if (pid === process.pid) return heldByThisProcess.has(line)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, under another user.
    return isErrno(error, 'EPERM')
  }
}

function readPid(line: string): number | undefined {
  const digits = /^([1-9]\d{0,9}) \S+\n$/.exec(line)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

function inUse(dataDir: string, path: string, line: string): SettingError {
  return new SettingError(
    'DATA_DIR',
    dataDir,
    `is in use by process ${readPid(line) ?? 'unknown'}`,
    `Stop that process or choose another folder; if it is no checkout-api, delete ${path}.`,
  )
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
