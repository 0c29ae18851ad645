import { readFile } from 'node:fs/promises'
import { type ChargeRow, parseLedgerLine, type Stage } from '@query-retry/checkout-api/chaos'
import type { Violation } from './audit.ts'
import type { DeviceEnd, Evidence, KeyRecord, SeenRequest } from './evidence.ts'
import type { PlacedOrder } from './person.ts'

export interface EvidenceSources {
  stage: Stage
  placed: readonly PlacedOrder[]
  requests: readonly SeenRequest[]
  ends: readonly DeviceEnd[]
  surprises: readonly Violation[]
}

/** Reads the ledger's file and the database, once all is quiet. */
export async function collectEvidence(sources: EvidenceSources): Promise<Evidence> {
  const { stage, placed, requests, ends, surprises } = sources
  const entries = await readLedger(stage.ledgerPath)
  const { client } = stage.database
  const ids = placed.map(({ id }) => id)
  const { rows: orders } = await client.query(
    `SELECT id, placed_by AS principal, amount, currency, status FROM orders WHERE id = ANY($1)`,
    [ids],
  )
  const { rows: charges } = await client.query<ChargeRow>(
    `SELECT order_id AS "order", effect_key AS "effectKey", amount, currency, status,
            provider_charge_id AS "providerChargeId" FROM charges`,
  )
  const { rows: records } = await client.query<KeyRecord & { effectKey: string }>(
    `SELECT key, phase, request->>'order' AS order, status, effect_key AS "effectKey"
       FROM idempotency_records WHERE operation = 'POST /payments'`,
  )
  const captured = new Set(
    entries.filter(({ charge }) => charge.status === 'captured').map(({ key }) => key),
  )
  return {
    ...{ orders, charges, requests, ends, surprises },
    ledger: entries.map(({ charge }) => charge),
    records: records.map(({ effectKey, ...record }) => ({
      ...record,
      isCaptured: captured.has(effectKey),
    })),
  }
}

async function readLedger(path: string) {
  const lines = (await readFile(path, 'utf8')).split('\n').filter(line => line !== '')
  return lines.map((line, index) => {
    const entry = parseLedgerLine(line)
    if (!entry) throw new Error(`line ${index + 1} of the ledger is no charge`)
    return entry
  })
}
