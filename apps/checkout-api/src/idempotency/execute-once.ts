import { randomUUID } from 'node:crypto'
import { type Database, DatabaseUnavailableError } from '../database/database.ts'
import type { Answer } from './answer.ts'
import type { CheckpointListener } from './checkpoint.ts'
import { fingerprintOf } from './fingerprint.ts'
import { unknownIfCommitIsLost } from './lost-commit.ts'
import { type Execution, type Operation, UNKNOWN } from './operation.ts'
import { inProgress, outcomeUnknown, type Reply, recall, underReview } from './recall.ts'
import type { RecordRow, Records } from './records.ts'

export interface ExecuteOnceOptions {
  database: Database
  records: Records
  /** Told what a person should know: errors swallowed into "unknown", records for review. No keys. */
  log: (line: string) => void
}

export interface KeyedRequest<Input> {
  /** The principal; the same key of somebody else is another key. */
  scope: string
  key: string
  /** The fields that make the request what it is, as JSON. Stored until the answer is dropped. */
  input: Input
}

/** Rolls a transaction back for a worker whose row has changed hands. */
class LostOwnership extends Error {}

/**
 * Executes an operation once for each key, whoever asks, however often, and whichever process dies
 * in between: claim the key, note that the effect may begin, perform it, store its answer.
 *
 * Each arrow below is a commit; between any two the process may die, and the next owner goes on from
 * what is committed:
 *
 *     (no row) -> claimed -> started -> [effect, outside any transaction] -> done
 *
 * The effect is performed under `effectKey`, which never changes, so that performing it again after
 * a crash is a repeat and not a second one.
 */
export class OnceExecutor {
  readonly #database: Database
  readonly #records: Records
  readonly #log: (line: string) => void

  constructor({ database, records, log }: ExecuteOnceOptions) {
    this.#database = database
    this.#records = records
    this.#log = log
  }

  /**
   * Answers a request: executes it, or repeats the answer of the execution there was, or says why
   * neither can be done now.
   *
   * @throws DatabaseUnavailableError before this request has written anything
   */
  async execute<Input, Outcome>(
    operation: Operation<Input, Outcome>,
    { scope, key, input }: KeyedRequest<Input>,
    onCheckpoint: CheckpointListener = () => undefined,
  ): Promise<Reply> {
    const request = {
      scope,
      key,
      operation: operation.name,
      fingerprint: fingerprintOf(operation.name, input),
    }
    const newRecord = { ...request, request: input, effectKey: randomUUID() }
    // Read first: a repeat of a finished request, the common one, costs one indexed read.
    const known = await this.#records.find(this.#database, scope, key)
    const recalled = known && recall(known, request)
    if (recalled) return recalled
    return unknownIfCommitIsLost(async () => {
      const record = known
        ? await this.#records.takeOver(this.#database, known)
        : await this.#records.claim(this.#database, newRecord)
      if (!record) return this.#recallAgain(request)
      await onCheckpoint('claimed')
      const reply = await this.run(operation, record, onCheckpoint)
      return reply ?? (await this.#recallAgain(request))
    }, this.#log)
  }

  /**
   * Goes on with a row that this worker owns, from wherever it stands.
   *
   * @returns undefined where the row changed hands meanwhile: whoever has it now has the answer
   */
  async run<Input, Outcome>(
    operation: Operation<Input, Outcome>,
    record: RecordRow,
    onCheckpoint: CheckpointListener = () => undefined,
  ): Promise<Reply | undefined> {
    const execution = executionOf<Input>(record)
    if (record.phase === 'claimed') {
      const ended = await this.#begin(operation, execution, record, onCheckpoint)
      if (ended) return ended.reply
      await onCheckpoint('started')
    }
    const outcome = await this.#outcomeOf(operation, execution, record)
    await onCheckpoint('performed')
    if (outcome !== undefined && outcome !== UNKNOWN) {
      const finished = await this.#finish(operation, execution, record, outcome, onCheckpoint)
      if (finished !== UNKNOWN) return finished
    }
    if (outcome === undefined) return this.#askForReview(record)
    await this.letGo(record)
    await onCheckpoint('released')
    return outcomeUnknown()
  }

  /** For who came second: what the row says now, or "in progress" where it just changes hands. */
  async #recallAgain(request: {
    scope: string
    key: string
    operation: string
    fingerprint: Uint8Array
  }): Promise<Reply> {
    const record = await this.#records.find(this.#database, request.scope, request.key)
    return (record && recall(record, request)) ?? inProgress()
  }

  /** @returns undefined once the effect may be performed, else how it ended before that */
  async #begin<Input, Outcome>(
    operation: Operation<Input, Outcome>,
    execution: Execution<Input>,
    record: RecordRow,
    onCheckpoint: CheckpointListener,
  ): Promise<{ reply: Reply | undefined } | undefined> {
    try {
      const beginning = await this.#database.transaction(async session => {
        if (!(await this.#records.start(session, record))) throw new LostOwnership()
        const beginning = await operation.begin(session, execution)
        if (beginning.kind === 'refused')
          await this.#records.finish(session, record, beginning.answer)
        if (beginning.kind === 'postponed') await this.#records.postpone(session, record)
        await onCheckpoint('starting')
        return beginning
      })
      if (beginning.kind === 'begun') return undefined
      await onCheckpoint(beginning.kind === 'refused' ? 'finished' : 'released')
      const isFinal = beginning.kind === 'refused'
      return { reply: { ...beginning.answer, ...(isFinal && { idempotencyStatus: 'completed' }) } }
    } catch (error) {
      if (error instanceof LostOwnership) return { reply: undefined }
      // The client of a database that went away is told "unknown", so it has to become known by itself.
      await this.letGo(record, { resumes: error instanceof DatabaseUnavailableError })
      throw error
    }
  }

  async #outcomeOf<Input, Outcome>(
    operation: Operation<Input, Outcome>,
    execution: Execution<Input>,
    record: RecordRow,
  ): Promise<Outcome | undefined | typeof UNKNOWN> {
    try {
      if (record.phase === 'started' && record.is_past_redrive)
        return await operation.find(execution)
      return await operation.perform(execution)
    } catch (error) {
      // It may have happened before it threw.
      this.#log(`${operation.name}: ${describe(error)}`)
      return UNKNOWN
    }
  }

  /** @returns undefined where the row changed hands, UNKNOWN where it could not be written down */
  async #finish<Input, Outcome>(
    operation: Operation<Input, Outcome>,
    execution: Execution<Input>,
    record: RecordRow,
    outcome: Outcome,
    onCheckpoint: CheckpointListener,
  ): Promise<Reply | undefined | typeof UNKNOWN> {
    let answer: Answer
    try {
      answer = operation.answer(execution, outcome)
      await this.#database.transaction(async session => {
        if (!(await this.#records.finish(session, record, answer))) throw new LostOwnership()
        await operation.settle(session, execution, outcome)
        await onCheckpoint('finishing')
      })
    } catch (error) {
      if (error instanceof LostOwnership) return undefined
      this.#log(`${operation.name}: ${describe(error)}`)
      return UNKNOWN
    }
    await onCheckpoint('finished')
    return { ...answer, idempotencyStatus: 'completed' }
  }

  async #askForReview(record: RecordRow): Promise<Reply | undefined> {
    if (!(await this.#records.putInReview(this.#database, record))) return undefined
    this.#log(
      `${record.operation}: started long ago, and not found where it should have happened. REVIEW NEEDED: SELECT * FROM idempotency_records WHERE phase = 'review'`,
    )
    return underReview()
  }

  /** Lets the next attempt begin at once. Where that fails, the lease runs out by itself. */
  async letGo(record: RecordRow, options?: { resumes: boolean }): Promise<void> {
    await this.#records
      .release(this.#database, record, options)
      .catch(error => this.#log(`${record.operation}: ${describe(error)}`))
  }
}

function executionOf<Input>(record: RecordRow): Execution<Input> {
  // Written by this layer, from an input of the operation that the row names.
  return {
    scope: record.scope,
    input: record.request as Input,
    effectKey: record.effect_key,
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
