import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { KeyedRequest } from './execute-once.ts'
import { fingerprintOf } from './fingerprint.ts'
import { unknownIfCommitIsLost } from './lost-commit.ts'
import type { AtomicOperation } from './operation.ts'
import { inProgress, type Reply, recall } from './recall.ts'
import type { Records } from './records.ts'

/**
 * Executes an operation that is nothing but SQL once for each key. Key, effect and answer are
 * written in one transaction, so nothing can be half done: a second request under the same key waits
 * at the unique index for the first to commit, and then repeats its answer.
 *
 * @throws DatabaseUnavailableError before this request has written anything
 */
export async function executeAtomically<Input>(
  database: Database,
  records: Records,
  operation: AtomicOperation<Input>,
  { scope, key, input }: KeyedRequest<Input>,
  log: (line: string) => void,
): Promise<Reply> {
  const fingerprint = fingerprintOf(operation.name, input)
  const request = { scope, key, operation: operation.name, fingerprint }

  const known = await records.find(database, scope, key)
  const recalled = known && recall(known, request)
  if (recalled) return recalled

  return unknownIfCommitIsLost(async () => {
    const executed = await database.transaction<Reply | undefined>(async session => {
      const effectKey = randomUUID()
      const record = await records.claim(session, { ...request, request: input, effectKey })
      if (!record) return undefined
      const answer = await operation.run(session, { scope, input, effectKey })
      await records.finish(session, record, answer)
      return { ...answer, idempotencyStatus: 'completed' }
    })
    if (executed) return executed

    const first = await records.find(database, scope, key)
    return (first && recall(first, request)) ?? inProgress()
  }, log)
}
