/** What a chaos run of a client shares with the one of the server: where it takes place, and how it is judged. */
export { parseLedgerLine } from '../src/provider/ledger-line.ts'
export {
  findCapturedTwice,
  findCapturedWithoutPayment,
  findPaidWithoutCapture,
  findWrongAmounts,
} from './audit.ts'
export { BROKEN_VARIANTS } from './broken-variants.ts'
export {
  explainArguments,
  LARGEST_SEED,
  OptionError,
  readNumber,
  readServerUrl,
} from './command-line.ts'
export { Draws } from './draws.ts'
export type { ChargeRow, LedgerCharge, OrderRow } from './evidence.ts'
export { groupBy } from './group-by.ts'
export { runInLanes } from './lanes.ts'
export { WORKERS } from './plan.ts'
export { isSettled } from './scratch-database.ts'
export { LEASE_MS, PROVIDER_TIMEOUT_MS } from './situations.ts'
export { openStage, type Stage } from './stage.ts'
export { doomWorker, type Supervisor, type Worker } from './supervisor.ts'
export { Tally } from './tally.ts'
