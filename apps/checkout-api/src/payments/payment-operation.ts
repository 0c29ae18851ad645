import type { Session } from '../database/database.ts'
import type { Beginning, Execution, Operation } from '../idempotency/operation.ts'
import { findLiveCharge, insertPendingCharge, settleCharge } from './charges.ts'
import { type PaymentRequest, paymentIdOf } from './payment.ts'
import {
  declined,
  orderAlreadyPaid,
  orderBusy,
  orderCancelled,
  orderChanged,
  orderNotFound,
  paid,
} from './payment-answers.ts'
import type { ChargeResult, PaymentProvider } from './provider-client.ts'

export type PaymentOperation = Operation<PaymentRequest, ChargeResult>

/** Also the name by which lookups and fences know what a key is for. */
export const PAY = 'POST /payments'

/**
 * Charging an order, as an operation that happens once: a pending charge is written down before the
 * provider hears of it, and charge and order change together with the stored answer.
 */
export function paymentOperation(provider: PaymentProvider): PaymentOperation {
  return {
    name: PAY,
    begin: beginCharge,
    perform: ({ input, effectKey }) =>
      provider.charge(effectKey, {
        reference: input.order,
        amount: input.amount,
        currency: input.currency,
        paymentMethod: input.paymentMethod,
      }),
    find: ({ effectKey }) => provider.find(effectKey),
    answer({ input, effectKey }, result) {
      if (result.status === 'declined') return declined(input.order, result.declineCode)
      return paid({
        id: paymentIdOf(effectKey),
        order: input.order,
        status: 'captured',
        total: { amount: input.amount, currency: input.currency },
        paidAt: result.createdAt,
      })
    },
    async settle(session, { input, effectKey }, result) {
      if (result.status === 'captured') {
        // The order first, as in `begin`: two transactions that lock in one order never deadlock.
        await session.query(`UPDATE orders SET status = 'paid', paid_at = $2 WHERE id = $1`, [
          input.order,
          result.createdAt,
        ])
      }
      await settleCharge(session, effectKey, result)
    },
  }
}

async function beginCharge(
  session: Session,
  { scope, input, effectKey }: Execution<PaymentRequest>,
): Promise<Beginning> {
  const [order] = await session.query<{ status: string; amount: number; currency: string }>(
    'SELECT status, amount, currency FROM orders WHERE id = $1 AND placed_by = $2 FOR UPDATE',
    [input.order, scope],
  )
  if (!order) return { kind: 'refused', answer: orderNotFound() }
  if (order.status === 'cancelled') return { kind: 'refused', answer: orderCancelled(input.order) }
  if (order.status === 'paid') {
    const charge = await findLiveCharge(session, input.order)
    return { kind: 'refused', answer: orderAlreadyPaid(input.order, charge?.id) }
  }
  const total = { amount: order.amount, currency: order.currency }
  if (total.amount !== input.amount || total.currency !== input.currency) {
    return { kind: 'refused', answer: orderChanged(input.order, total) }
  }
  const id = paymentIdOf(effectKey)
  const isOurs = await insertPendingCharge(session, { id, order: input.order, effectKey, total })
  return isOurs ? { kind: 'begun' } : { kind: 'postponed', answer: orderBusy(input.order) }
}
