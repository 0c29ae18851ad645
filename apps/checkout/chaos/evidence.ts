import type { ChargeRow, LedgerCharge, OrderRow } from '@query-retry/checkout-api/chaos'
import type { Violation } from './audit.ts'
import type { RequestFaultKind, RequestKind } from './request-faults.ts'

/** A request as the front saw it. */
export interface SeenRequest {
  checkout: string
  device: string
  kind: RequestKind
  key: string | undefined
  /** Of a payment: the order that it names. */
  order: string | undefined
  /** It came when the trouble was over for its checkout. */
  isCalm: boolean
  /** `worker-gone`: its worker died of somebody else's request, or none was there. */
  fault?: RequestFaultKind | 'worker-gone' | undefined
  /** What was sent back in whole; undefined where nothing was. */
  told?: ToldAnswer
}

export interface ToldAnswer {
  /** Of a look-up or a fence that found an answer: the status of that. */
  status: number
  /** It is the key's own, final answer. */
  isOwn: boolean
  /** Of a look-up or a fence. */
  state?: string
}

/** A record of the client's journal, when it came to be. */
export interface JournalEntry {
  key: string
  state: string
  dispatchCount: number
}

/** How a checkout ended on one device: what its page showed, and what its journal went through. */
export interface DeviceEnd {
  checkout: string
  device: string
  order: string
  end: 'succeeded' | 'rejected' | 'stuck'
  /** The phase that the page was last seen in. */
  shown: string
  journal: readonly JournalEntry[]
}

/** What the server remembers of a key, and whether the ledger has a capture under its effect key. */
export interface KeyRecord {
  key: string
  phase: string
  order: string | null
  status: number | null
  isCaptured: boolean
}

export interface Evidence {
  orders: readonly OrderRow[]
  charges: readonly ChargeRow[]
  records: readonly KeyRecord[]
  /** From the file that the provider wrote. */
  ledger: readonly LedgerCharge[]
  requests: readonly SeenRequest[]
  ends: readonly DeviceEnd[]
  /** What the run itself noticed: a page that threw, a worker that died unasked. */
  surprises: readonly Violation[]
}
