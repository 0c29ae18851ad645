/**
 * What went wrong in the words of where it did, without those wrapped around them. An AggregateError
 * (two addresses of one name) has no words, only a code.
 */
export function innermostMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return innermostMessage(error.cause)
  return error.message || ('code' in error ? String(error.code) : error.name)
}
