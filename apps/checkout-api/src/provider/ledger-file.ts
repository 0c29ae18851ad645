import { type FileHandle, open } from 'node:fs/promises'
import type { LedgerEntry } from './ledger.ts'
import { formatLedgerLine, parseLedgerLine } from './ledger-line.ts'

const LINE_END = 0x0a
/** For the eyes of this user: it holds keys. */
const FILE_MODE = 0o600

/** Line `line` of a ledger file is no charge. Nothing was changed. */
export class LedgerLineError extends Error {
  readonly code = 'ledger-line'
  readonly line: number

  constructor(line: number) {
    super(`line ${line} is not a charge`)
    this.name = 'LedgerLineError'
    this.line = line
  }
}

interface Writing {
  line: string
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * A ledger on disk: one charge a line (JSON Lines), only ever added to.
 *
 * Who must not be here twice is kept out by the lock on the folder, not by this file.
 */
export class LedgerFile {
  readonly #handle: FileHandle
  readonly #waiting: Writing[] = []
  #flushing: Promise<void> | undefined
  #failure: unknown

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /**
   * Opens the file, or creates it, and reads what it holds. A last line without an end was cut by
   * the death of the process that wrote it: nobody has been told of that charge, and it is dropped.
   *
   * @throws LedgerLineError for any other line that cannot be read; what the system says of a file
   * that cannot be opened
   */
  static async open(
    path: string,
  ): Promise<{ file: LedgerFile; entries: LedgerEntry[]; hasDroppedLine: boolean }> {
    const handle = await open(path, 'a+', FILE_MODE)
    try {
      const bytes = await handle.readFile()
      const wholeBytes = bytes.lastIndexOf(LINE_END) + 1
      const lines = bytes.toString('utf8', 0, wholeBytes).split('\n').slice(0, -1)
      const entries = lines.map((line, index) => {
        const entry = parseLedgerLine(line)
        if (!entry) throw new LedgerLineError(index + 1)
        return entry
      })
      const hasDroppedLine = wholeBytes < bytes.length
      if (hasDroppedLine) await handle.truncate(wholeBytes)
      return { file: new LedgerFile(handle), entries, hasDroppedLine }
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /**
   * Resolves when the entry has reached the disk. Entries that come while the disk is busy are
   * written together: one fsync for all of them.
   *
   * After a failure every later call fails as well: part of a line may stand in the file, and what
   * an fsync lost is not known. A restart reads what is really there.
   */
  append(entry: LedgerEntry): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: formatLedgerLine(entry), resolve, reject })
      this.#flushing ??= this.#flush()
    })
  }

  /** Resolves when all that was under way is written and the file is closed. */
  async close(): Promise<void> {
    await this.#flushing
    await this.#handle.close()
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      try {
        if (this.#failure !== undefined) throw this.#failure
        await this.#handle.appendFile(batch.map(writing => writing.line).join(''))
        await this.#handle.datasync()
        for (const writing of batch) writing.resolve()
      } catch (error) {
        this.#failure = error
        for (const writing of batch) writing.reject(error)
      }
    }
    // In the same step as the last look at the queue: who comes later begins anew.
    this.#flushing = undefined
  }
}
