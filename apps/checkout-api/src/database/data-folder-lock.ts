import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SettingError } from '../setting-error.ts'

/** A pid that is ours and not in here was left by an earlier process (containers reuse pids). */
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
  try {
    await mkdir(dataDir, { recursive: true })
    // A lost race or a stale lock sends us round again; more than a few rounds is no accident.
    for (let round = 0; round < 5; round++) {
      if (await tryCreate(path)) {
        heldByThisProcess.add(path)
        return { release: () => releaseLock(path) }
      }
      const holder = await readHolder(path)
      if (holder !== undefined && isHeld(path, holder)) throw inUse(dataDir, path, String(holder))
      await removeStale(path, holder)
    }
  } catch (error) {
    if (error instanceof SettingError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new SettingError(
      'DATA_DIR',
      dataDir,
      `cannot be used (${reason})`,
      'Choose a folder that this user may write.',
      error,
    )
  }
  throw inUse(dataDir, path, 'unknown')
}

/** Written aside and linked into place, so that nobody ever reads a half-written lock. */
async function tryCreate(path: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, `${process.pid}\n`)
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

async function readHolder(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(error => {
    if (isErrno(error, 'ENOENT')) return ''
    throw error
  })
  return /^\d+\n$/.test(text) ? Number(text) : undefined
}

function isHeld(path: string, pid: number): boolean {
  if (pid === process.pid) return heldByThisProcess.has(path)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, under another user.
    return isErrno(error, 'EPERM')
  }
}

/** Moves the lock away and looks at what it moved: between reading and moving it may have become someone's. */
async function removeStale(path: string, staleHolder: number | undefined): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return
    throw error
  }
  if ((await readHolder(aside)) !== staleHolder) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
}

async function releaseLock(path: string): Promise<void> {
  if (heldByThisProcess.delete(path)) await rm(path, { force: true })
}

function inUse(dataDir: string, path: string, holder: string): SettingError {
  return new SettingError(
    'DATA_DIR',
    dataDir,
    `is in use by process ${holder}`,
    `Stop that process or choose another folder; if it is no checkout-api, delete ${path}.`,
  )
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
