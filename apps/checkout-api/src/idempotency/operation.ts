import type { Session } from '../database/database.ts'
import type { Answer } from './answer.ts'

/** What an operation knows of the execution it is part of. */
export interface Execution<Input> {
  /** The principal on whose behalf. */
  readonly scope: string
  /** As it was asked the first time; never changes. */
  readonly input: Input
  /**
   * The idempotency key for whoever performs the effect. The same in every attempt, however many
   * workers take turns.
   */
  readonly effectKey: string
}

/** What became of an effect cannot be said now. Not a failure: it may have happened. */
export const UNKNOWN = 'unknown'

export type Beginning =
  /** Everything is written down; the effect may be performed. */
  | { kind: 'begun' }
  /** It will not be performed, and this is the answer for ever. */
  | { kind: 'refused'; answer: Answer }
  /** It cannot be performed now. Nothing was begun, and the same key may ask again. */
  | { kind: 'postponed'; answer: Answer }

/**
 * Something that happens outside this database and must happen once: a charge, a parcel, a mail.
 *
 * The idempotency layer calls these in order and remembers how far it got. Whoever performs the
 * effect has to be idempotent itself, under `effectKey`: after a crash nobody can tell whether
 * `perform` was heard, and it is called again.
 */
export interface Operation<Input, Outcome> {
  /** Method and route template, for example `POST /payments`. Part of the fingerprint. */
  readonly name: string

  /**
   * Decides whether the effect may happen, and writes what has to be known before it does. Runs in
   * the transaction that marks the key as started; nothing but SQL inside.
   */
  begin(session: Session, execution: Execution<Input>): Promise<Beginning>

  /**
   * Has the effect happen. Runs outside any transaction and has to end well within the lease.
   *
   * @returns a definite outcome, or UNKNOWN for everything else; a rejection counts as UNKNOWN
   */
  perform(execution: Execution<Input>): Promise<Outcome | typeof UNKNOWN>

  /**
   * Finds out what became of an effect that was started too long ago to be asked for again under
   * the same key.
   *
   * @returns undefined where there was none
   */
  find(execution: Execution<Input>): Promise<Outcome | undefined | typeof UNKNOWN>

  /**
   * The answer for an outcome. Depends on nothing else, so that every worker comes to the same bytes.
   */
  answer(execution: Execution<Input>, outcome: Outcome): Answer

  /** Writes the outcome. Runs in the transaction that stores the answer; nothing but SQL inside. */
  settle(session: Session, execution: Execution<Input>, outcome: Outcome): Promise<void>
}

/** Something that happens in this database alone, so that one transaction makes it happen once. */
export interface AtomicOperation<Input> {
  readonly name: string
  run(session: Session, execution: Execution<Input>): Promise<Answer>
}
