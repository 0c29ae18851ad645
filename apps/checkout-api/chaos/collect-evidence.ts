import { createHash } from 'node:crypto'
import type pg from 'pg'
import { paymentBody, type World } from './client.ts'
import type {
  ChargeRow,
  ClientEnd,
  Evidence,
  KeyRecord,
  LedgerCharge,
  OrderRow,
  PlannedKey,
} from './evidence.ts'
import { runInLanes } from './lanes.ts'
import type { OrderPlan, RunPlan } from './plan.ts'

const QUESTIONS_AT_ONCE = 16

export interface EvidenceSources {
  plan: RunPlan
  database: pg.Client
  providerUrl: string
  world: World
  clients: readonly ClientEnd[]
  lines: readonly string[]
}

/** Asks everybody, once all is quiet. */
export async function collectEvidence(sources: EvidenceSources): Promise<Evidence> {
  const { plan, database, providerUrl, world, clients, lines } = sources
  const ledgerResponse = await fetch(`${providerUrl}/ledger`)
  const { charges: ledger } = (await ledgerResponse.json()) as { charges: LedgerCharge[] }
  const planned = new Set(plan.orders.map(({ id }) => id))
  const { rows: orders } = await database.query<OrderRow>(
    'SELECT id, placed_by AS principal, amount, currency, status FROM orders',
  )
  const { rows: charges } = await database.query<ChargeRow>(
    `SELECT order_id AS "order", effect_key AS "effectKey", amount, currency, status,
            provider_charge_id AS "providerChargeId" FROM charges`,
  )
  return {
    // The seed's own orders were never paid through this provider.
    orders: orders.filter(({ id }) => planned.has(id)),
    charges,
    records: await readRecords(database, providerUrl),
    ledger,
    answers: world.answers,
    plannedKeys: plan.orders.flatMap(keysOf),
    clients,
    lines,
    surprises: world.surprises,
  }
}

async function readRecords(database: pg.Client, providerUrl: string): Promise<KeyRecord[]> {
  const { rows } = await database.query<Omit<KeyRecord, 'bodySha256'> & { body: Buffer | null }>(
    `SELECT scope AS principal, key, phase, resume_at IS NOT NULL AS "willResume",
            effect_key AS "effectKey", request, status, body FROM idempotency_records`,
  )
  const records = rows.map(({ body, ...record }) => ({
    ...record,
    bodySha256: body && createHash('sha256').update(body).digest('hex'),
    isCaptured: false,
  }))
  await runInLanes(QUESTIONS_AT_ONCE, records, async record => {
    const response = await fetch(`${providerUrl}/charges/by-key/${record.effectKey}`)
    const charge = (await response.json()) as { status: unknown }
    record.isCaptured = charge.status === 'captured'
  })
  return records
}

function keysOf(order: OrderPlan): PlannedKey[] {
  return [...order.keys, order.lastKey].map(({ key, card, clients }) => ({
    principal: order.principal,
    key,
    request: paymentBody(order, card),
    isInsisted: clients.some(({ leaves }) => !leaves),
  }))
}
