import { DatabaseUnavailableError } from '../database/database.ts'
import { outcomeUnknown, type Reply } from './recall.ts'

/**
 * Runs what writes, and answers "outcome unknown" where the database goes away meanwhile: a commit
 * may have happened of which only the acknowledgement was lost, and what is committed goes on without
 * its client. Whatever fails before the first write may say "database unavailable"; after it, that
 * would be a promise that nothing has begun.
 *
 * @throws every other error as it is
 */
export async function unknownIfCommitIsLost(
  work: () => Promise<Reply>,
  log: (line: string) => void,
): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error
    log(`The database went away under a request with an idempotency key: ${reasonOf(error)}`)
    return outcomeUnknown()
  }
}

function reasonOf({ cause, message }: DatabaseUnavailableError): string {
  return cause instanceof Error ? cause.message : message
}
