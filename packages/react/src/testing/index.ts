export { instantRetries } from './instant-retries.ts'
