import type { Database } from '../database/database.ts'
import type { OnceExecutor } from './execute-once.ts'
import type { Operation } from './operation.ts'
import type { Records } from './records.ts'

export interface CompleterOptions {
  database: Database
  records: Records
  executor: OnceExecutor
  /** Every operation whose rows may be found half done. */
  // biome-ignore lint/suspicious/noExplicitAny: what goes in and comes out is each operation's own business
  operations: readonly Operation<any, any>[]
  log: (line: string) => void
}

/**
 * Finishes one execution that nobody works on any more: its worker died, slept past its lease, or
 * let go of it because the outcome was unknown. Oldest first; several processes take turns by
 * skipping what another has locked.
 *
 * @returns false when there was nothing to do
 */
export async function completeOne({
  database,
  records,
  executor,
  operations,
  log,
}: CompleterOptions): Promise<boolean> {
  const record = await records.takeOverAbandoned(database)
  if (!record) return false
  const operation = operations.find(({ name }) => name === record.operation)
  if (!operation) log(`${record.operation}: half done, and this process does not know how to go on`)
  // A claim that old was never begun: it waits for its client, who may have changed their mind.
  const isStale = record.phase === 'claimed' && record.is_past_redrive
  if (!operation || isStale) await executor.letGo(record)
  else await executor.run(operation, record)
  return true
}
