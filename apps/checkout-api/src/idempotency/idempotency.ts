import type { Database } from '../database/database.ts'
import type { CheckpointListener } from './checkpoint.ts'
import { completeOne } from './completer.ts'
import { executeAtomically } from './execute-atomically.ts'
import { type KeyedRequest, OnceExecutor } from './execute-once.ts'
import { fenceKey, type KeyName, type KeyState, lookUpKey } from './key-state.ts'
import type { AtomicOperation, Operation } from './operation.ts'
import type { Reply } from './recall.ts'
import { Records } from './records.ts'
import type { Retention } from './retention.ts'

export interface IdempotencyOptions {
  database: Database
  retention: Retention
  /** Every operation that is executed in steps, so that those found half done can be finished. */
  // biome-ignore lint/suspicious/noExplicitAny: what goes in and comes out is each operation's own business
  operations: readonly Operation<any, any>[]
  /** Told what a person should know; never a key. */
  log: (line: string) => void
}

const REAPED_AT_ONCE = 1_000

/**
 * Same key, one execution, same answer.
 *
 * The room's front door: requests come in by `execute` and `executeAtomically`, questions about keys
 * by `lookUp` and `fence`, and whoever runs the process calls `completeAbandoned` and `reap` now and
 * then. What the operations do is none of its business.
 */
export class Idempotency {
  readonly #database: Database
  readonly #records: Records
  readonly #executor: OnceExecutor
  readonly #operations: IdempotencyOptions['operations']
  readonly #log: (line: string) => void

  constructor({ database, retention, operations, log }: IdempotencyOptions) {
    this.#database = database
    this.#records = new Records(retention)
    this.#executor = new OnceExecutor({ database, records: this.#records, log })
    this.#operations = operations
    this.#log = log
  }

  /** @see OnceExecutor.execute */
  execute<Input, Outcome>(
    operation: Operation<Input, Outcome>,
    request: KeyedRequest<Input>,
    onCheckpoint?: CheckpointListener,
  ): Promise<Reply> {
    return this.#executor.execute(operation, request, onCheckpoint)
  }

  /** @see executeAtomically */
  executeAtomically<Input>(
    operation: AtomicOperation<Input>,
    request: KeyedRequest<Input>,
  ): Promise<Reply> {
    return executeAtomically(this.#database, this.#records, operation, request, this.#log)
  }

  lookUp(name: KeyName): Promise<KeyState> {
    return lookUpKey(this.#database, this.#records, name)
  }

  fence(name: KeyName): Promise<KeyState> {
    return fenceKey(this.#database, this.#records, name)
  }

  /**
   * Finishes what nobody works on any more, oldest first.
   *
   * @param signal - ends it after the execution under way. While nobody performs effects, there may
   * always be one more that is due.
   * @returns how many it took on
   */
  async completeAbandoned(signal?: AbortSignal): Promise<number> {
    let count = 0
    while (
      !signal?.aborted &&
      (await completeOne({
        database: this.#database,
        records: this.#records,
        executor: this.#executor,
        operations: this.#operations,
        log: this.#log,
      }))
    )
      count += 1
    return count
  }

  /** Drops answers and keys that are past their time. @returns how many rows it touched */
  async reap(): Promise<number> {
    let count = 0
    let touched: number
    do {
      touched = await this.#records.reap(this.#database, REAPED_AT_ONCE)
      count += touched
    } while (touched > 0)
    return count
  }
}
