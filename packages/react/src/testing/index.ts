export { instantRetries } from './instant-retries.ts'
export { type JournalCheck, journalChecks } from './journal-checks.ts'
