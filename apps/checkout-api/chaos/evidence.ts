import type { Violation } from './audit.ts'

export interface OrderRow {
  id: string
  principal: string
  amount: number
  currency: string
  status: string
}

export interface ChargeRow {
  order: string
  effectKey: string
  amount: number
  currency: string
  status: string
  providerChargeId: string | null
}

/** What the shop remembers of a key. */
export interface KeyRecord {
  principal: string
  key: string
  phase: string
  willResume: boolean
  effectKey: string
  /** The stored request; null where the key was fenced before any came. */
  request: unknown
  status: number | null
  bodySha256: string | null
  /** Whether the provider, asked for this effect key, knows a captured charge. */
  isCaptured: boolean
}

/** A charge as the provider tells it. */
export interface LedgerCharge {
  id: string
  status: string
  /** The order's id. */
  reference: string
  amount: number
  currency: string
}

/** An answer that a client was told to be the key's own. */
export interface ToldAnswer {
  principal: string
  key: string
  via: 'payment' | 'look-up' | 'fence'
  status: number
  bodySha256: string
  /** It came as `completed`: by this very request, and not as the answer of an earlier one. */
  isCompletion: boolean
}

/** What was planned for a key. */
export interface PlannedKey {
  principal: string
  key: string
  request: unknown
  /** False where all its clients left without waiting for the answer. */
  isInsisted: boolean
}

export interface ClientEnd {
  client: string
  end: 'answered' | 'left' | 'gave-up'
}

export interface Evidence {
  orders: readonly OrderRow[]
  charges: readonly ChargeRow[]
  records: readonly KeyRecord[]
  ledger: readonly LedgerCharge[]
  answers: readonly ToldAnswer[]
  plannedKeys: readonly PlannedKey[]
  clients: readonly ClientEnd[]
  /** What the processes printed. */
  lines: readonly string[]
  /** What the run itself noticed: a worker that died unasked, an answer that nobody should get. */
  surprises: readonly Violation[]
}
