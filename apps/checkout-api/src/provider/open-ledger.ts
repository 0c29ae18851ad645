import { join } from 'node:path'
import { lockDataFolder } from '../database/data-folder-lock.ts'
import { SettingError } from '../setting-error.ts'
import { Ledger } from './ledger.ts'
import { LedgerFile, LedgerLineError } from './ledger-file.ts'

export interface OpenLedger {
  ledger: Ledger
  /** Writes what is under way and lets the folder go. */
  close(): Promise<void>
}

/**
 * Opens the ledger in `ledger.jsonl` of a folder, for this process alone.
 *
 * @param dataDir - undefined keeps the ledger in memory
 * @throws SettingError when another process has the folder, it cannot be written, or the file holds
 * a line that is no charge
 */
export async function openLedger(
  dataDir: string | undefined,
  log: (line: string) => void,
): Promise<OpenLedger> {
  if (dataDir === undefined) return { ledger: new Ledger(), close: async () => undefined }
  const lock = await lockDataFolder(dataDir)
  const path = join(dataDir, 'ledger.jsonl')
  try {
    const { file, entries, hasDroppedLine } = await LedgerFile.open(path)
    if (hasDroppedLine) {
      log(`${path}: dropped a last line that was cut while it was written; nobody was told of it`)
    }
    return {
      ledger: new Ledger(file, entries),
      async close() {
        await file.close()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw explain(error, dataDir, path)
  }
}

function explain(error: unknown, dataDir: string, path: string): SettingError {
  if (error instanceof LedgerLineError) {
    const fix = 'Mend that line, or move the file away to begin with an empty ledger.'
    return new SettingError(
      'DATA_DIR',
      dataDir,
      `holds a ledger whose ${error.message} (${path}:${error.line})`,
      fix,
      error,
    )
  }
  const reason = error instanceof Error ? error.message : String(error)
  const fix = 'Choose a folder that this user may write.'
  return new SettingError('DATA_DIR', dataDir, `cannot be used (${reason})`, fix, error)
}
