import type { Session } from '../database/database.ts'
import type { Money } from '../money.ts'

/** A payment as its route tells of it: the charge, and when its order was paid. */
export interface PaymentRow {
  id: string
  order_id: string
  amount: number
  currency: string
  paid_at: Date
}

export interface NewCharge {
  id: string
  order: string
  effectKey: string
  total: Money
}

/**
 * Notes a charge before the provider hears of it.
 *
 * @returns false where the order has a live charge already: the unique index decides, not a look
 * before
 */
export async function insertPendingCharge(session: Session, charge: NewCharge): Promise<boolean> {
  const { id, order, effectKey, total } = charge
  const inserted = await session.query(
    `INSERT INTO charges (id, order_id, effect_key, amount, currency, status)
     VALUES ($1, $2, $3, $4, $5, 'pending') ON CONFLICT DO NOTHING RETURNING 1`,
    [id, order, effectKey, total.amount, total.currency],
  )
  return inserted.length > 0
}

/** The charge that counts for an order: captured, or pending and perhaps captured already. */
export async function findLiveCharge(
  session: Session,
  order: string,
): Promise<{ id: string } | undefined> {
  const [row] = await session.query<{ id: string }>(
    `SELECT id FROM charges WHERE order_id = $1 AND status IN ('pending', 'captured')`,
    [order],
  )
  return row
}

/** A captured charge of one of the principal's orders, by the payment's id. */
export async function findPayment(
  session: Session,
  principal: string,
  id: string,
): Promise<PaymentRow | undefined> {
  const [row] = await session.query<PaymentRow>(
    `SELECT charges.id, order_id, charges.amount, charges.currency, orders.paid_at
       FROM charges JOIN orders ON orders.id = charges.order_id
      WHERE charges.id = $1 AND charges.status = 'captured' AND orders.placed_by = $2`,
    [id, principal],
  )
  return row
}

export async function settleCharge(
  session: Session,
  effectKey: string,
  result: { status: 'captured' | 'declined'; providerChargeId: string; declineCode?: string },
): Promise<void> {
  await session.query(
    `UPDATE charges SET status = $2, provider_charge_id = $3, decline_code = $4,
                        settled_at = clock_timestamp()
      WHERE effect_key = $1`,
    [effectKey, result.status, result.providerChargeId, result.declineCode ?? null],
  )
}
